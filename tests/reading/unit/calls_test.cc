#include <gtest/gtest.h>

#include "support/ran_program.h"

// Calls as the machine makes them: what an argument is when the call does not spell it.

namespace cutelab {
namespace {

TEST(Calls, AnUnpackedValueThatIsNotKnownLeavesNoDefaultStanding) {
  RanProgram p(R"(import somewhere
import dataclasses
def f(m=128, *rest, n=64, **more):
    return m, n
class Plan:
    def __init__(self, tile=32):
        self.tile = tile
@dataclasses.dataclass
class Shape:
    k: int = 16
options = somewhere.options()
by_name = f(**options)
by_place = f(1, *options)[0]
after = f(*options, 7)[0]
given = f(n=8, **options)[1]
tile = Plan(**options).tile
k = Shape(**options).k
least = range(*options)
)");
  for (const char* name : {"after", "tile", "k"}) EXPECT_EQ(p.text(name).substr(0, 1), "?") << name;
  EXPECT_NE(p.text("by_name"), "(128, 64)");
  EXPECT_EQ(p.text("by_place"), "1") << "stands before what is not known";
  EXPECT_EQ(p.text("given"), "8");
}

TEST(Calls, TheNamespaceOfACommandLineUnpacksIntoKeywords) {
  reading::machine::Machine::Options options;
  options.settings = {{"batch", "3"}};
  RanProgram p(R"(import argparse
def run(batch=1, tile=4):
    return batch, tile
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=2)
parser.add_argument("--tile", type=int, default=8)
kept = vars(parser.parse_args())
r = run(**kept)
)",
               options);
  EXPECT_EQ(p.text("r"), "(3, 8)");
}

TEST(Calls, ACompiledFunctionRunsAgainForOtherNumbersOfATuple) {
  RanProgram p(R"(import cutlass.cute as cute
@cute.kernel
def kernel():
    pass
@cute.jit
def host(mn):
    kernel().launch(grid=[mn[0] // 2, mn[1] // 4, 1], block=[32, 1, 1])
compiled = cute.compile(host, (0, 0))
compiled((8, 16))
)");
  ASSERT_EQ(p.machine().launches().size(), 1u) << "the one at compilation stands back";
  EXPECT_EQ(p.machine().repr(p.machine().launches()[0].grid), "[4, 4, 1]");
}

TEST(Calls, TheLaunchAtCompilationStandsOnceItIsMade) {
  RanProgram p(R"(import cutlass.cute as cute
@cute.kernel
def kernel():
    pass
@cute.jit
def host(n):
    kernel().launch(grid=[n, 1, 1], block=[32, 1, 1])
compiled = cute.compile(host, 8)
for n in (8, 16):
    compiled(n)
)");
  ASSERT_EQ(p.machine().launches().size(), 2u);
  EXPECT_EQ(p.machine().repr(p.machine().launches()[0].grid), "[8, 1, 1]");
}

TEST(Calls, AKernelLaunchedForManyShapesIsFollowedAFewTimes) {
  RanProgram p(R"(import cutlass.cute as cute
import cutlass.utils as utils
@cute.kernel
def kernel():
    utils.SmemAllocator().allocate(64)
@cute.jit
def host(n):
    kernel().launch(grid=[n, 1, 1], block=[32, 1, 1])
for n in range(1, 21):
    host(n)
)");
  ASSERT_EQ(p.machine().launches().size(), 20u);
  EXPECT_TRUE(p.machine().launches()[0].allocated_known);
  EXPECT_FALSE(p.machine().launches()[19].allocated_known) << "its body was not followed";
  EXPECT_EQ(p.machine().repr(p.machine().launches()[19].grid), "[20, 1, 1]");
}

TEST(Calls, AModuleLoadedFromItsFileIsOnePerLoad) {
  RanProgram p(R"(import importlib.util
import os
from pathlib import Path
here = Path(__file__).resolve().parent
def load(name):
    spec = importlib.util.spec_from_file_location(name, str(here / "parts" / "tiles.py"))
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
first, second = load("a"), load("b")
first.tile = 256
r = first.bytes(), second.bytes()
names = (here / "x.py").name, Path("a") / "b" / "c.py" == None, str(Path("a", "b").parent), Path("x/y.tar").stem
folder = os.path.basename(os.path.dirname(os.path.join(os.path.dirname(__file__), "sub", "f.py")))
)",
               {}, {"/program/parts/tiles.py"}, {"tile = 64\ndef bytes():\n    return 2 * tile\n"});
  EXPECT_EQ(p.text("r"), "(512, 128)");
  EXPECT_EQ(p.text("names"), "('x.py', False, 'a', 'y')");
  EXPECT_EQ(p.text("folder"), "'sub'");
}

TEST(Calls, NumbersOfTheLibraryAreImportedAsNumbers) {
  RanProgram p(R"(from cutlass.cute.arch import WARP_SIZE
r = 4 * WARP_SIZE
)");
  EXPECT_EQ(p.text("r"), "128");
}

TEST(Calls, AMemorySpaceIsTheMemberOfItsName) {
  RanProgram p(R"(import cutlass
import cutlass.cute as cute
pointer = cute.runtime.make_ptr(cutlass.Uint32, 16, cute.AddressSpace.gmem)
r = pointer.memspace == cute.AddressSpace.gmem, pointer.memspace != cute.AddressSpace.smem
)");
  EXPECT_EQ(p.text("r"), "(True, True)");
}

TEST(Calls, AKernelThatEndsWithAnErrorHasAnUnknownSumOfAllocations) {
  RanProgram p(R"(import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
@cute.kernel
def kernel():
    smem = utils.SmemAllocator()
    smem.allocate(64)
    raise ValueError("not followed further")
    smem.allocate(64)
@cute.jit
def host():
    kernel().launch(grid=[1, 1, 1], block=[32, 1, 1])
host()
)");
  ASSERT_EQ(p.machine().launches().size(), 1u);
  EXPECT_FALSE(p.machine().launches()[0].allocated_known);
}

TEST(Calls, SharedMemoryThatAnObjectNotKnownHandsOutLeavesTheSumOpen) {
  RanProgram p(R"(import cutlass.cute as cute
import cutlass.utils as utils
from somewhere import make_allocator
@cute.kernel
def by_another():
    make_allocator().allocate_tensor(cute.Float32, 64)
@cute.kernel
def by_a_function():
    smem = utils.SmemAllocator()
    make = smem.allocate_array
    make(cute.Float32, 64)
    smem.allocate_pool(4)
@cute.kernel
def by_none():
    utils.SmemAllocator()
@cute.jit
def host():
    for kernel in (by_another, by_a_function, by_none):
        kernel().launch(grid=[1, 1, 1], block=[32, 1, 1])
host()
)");
  ASSERT_EQ(p.machine().launches().size(), 3u);
  EXPECT_FALSE(p.machine().launches()[0].allocated_known);
  EXPECT_FALSE(p.machine().launches()[1].allocated_known);
  EXPECT_TRUE(p.machine().launches()[2].allocated_known) << "an allocator that nothing is asked of";
  EXPECT_EQ(p.machine().launches()[2].allocated, 0);
}

}  // namespace
}  // namespace cutelab
