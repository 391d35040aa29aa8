#include "corpus/scan.h"

#include <gtest/gtest.h>

#include "corpus/docs.h"
#include "corpus/tree.h"

namespace cutelab::corpus {
namespace {

SignalTable table() { return std::move(*SignalTable::load(DiskFileSource(), test::data_folder())); }

const SignalHit* hit(const FileFacts& f, std::string_view seen) {
  for (const SignalHit& h : f.signals)
    if (h.seen == seen) return &h;
  return nullptr;
}

TEST(ScanPython, NamesWithTheirLines) {
  const FileFacts f = scan_python(R"(# license text that mentions tcgen05
import cutlass, cutlass.cute as cute
from helpers import fmha_helpers as fh
from .local import (one,  # a comment
                    two)

"""
Attention for Hopper. More words.

.. code-block:: bash

    python examples/hopper/fmha.py --q_shape 4,1024,8,64 \
        --is_causal
"""


class Fmha:
    @cute.jit
    def __call__(self): ...

    @cute.kernel
    def kernel(self):
        """warpgroup.fence() in a docstring does not count"""
        s = "tcgen05 in a string neither"
        cute.nvgpu.warpgroup.fence()
        x = pipeline.PipelineTmaAsync.create()
        y = pipeline.PipelineTmaAsync.create()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--q_shape", type=str, default="a,b")
    p.add_argument("-v", "--verbose")
    get_smem_capacity("sm_90")
)",
                                  table());
  EXPECT_EQ(f.summary, "Attention for Hopper");
  EXPECT_EQ(f.kernels, (std::vector<Mention>{{"kernel", 22}}));
  EXPECT_EQ(f.jits, (std::vector<Mention>{{"__call__", 19}}));
  EXPECT_EQ(f.classes, (std::vector<Mention>{{"Fmha", 17}}));
  EXPECT_EQ(f.imports, (std::vector<Mention>{{"cutlass", 2},
                                             {"cutlass.cute", 2},
                                             {"helpers", 3},
                                             {"helpers.fmha_helpers", 3},
                                             {".local", 4},
                                             {".local.one", 4},
                                             {".local.two", 4}}));
  EXPECT_EQ(f.flags, (std::vector<Mention>{{"--q_shape", 32}, {"--verbose", 33}}));
  EXPECT_EQ(f.arch_literals, (std::vector<Mention>{{"sm_90", 34}}));
  EXPECT_TRUE(f.has_main);
  ASSERT_EQ(f.commands.size(), 1u);
  EXPECT_EQ(f.commands[0].path, "examples/hopper/fmha.py");
  EXPECT_EQ(f.commands[0].text, "python examples/hopper/fmha.py --q_shape 4,1024,8,64 --is_causal");
  EXPECT_EQ(f.commands[0].line, 12);
  ASSERT_TRUE(hit(f, "warpgroup.fence"));
  EXPECT_EQ(*hit(f, "warpgroup.fence"), (SignalHit{"warpgroup.fence", "warpgroup.fence", 25, 1}));
  EXPECT_EQ(hit(f, "PipelineTmaAsync")->count, 2);
  EXPECT_FALSE(hit(f, "tcgen05")) << "comments, strings, docstrings and imports do not count";
}

TEST(ScanPython, BrokenTextStillGivesWhatIsThere) {
  for (const char* text : {"", "\"\"\"never closed", "def", "@", "@cute.kernel", "import", "from x import (",
                           "'", "((((", "from a import b as", "class", "x = \"\\", "\xff\xfe",
                           "@cute.kernel\ndef k(:\n  tcgen05.MmaF16BF16Op(", "f'{a}' rb'' b"}) {
    const FileFacts f = scan_python(text, table());
    EXPECT_EQ(f.language, Language::cute_dsl);
  }
  const FileFacts f = scan_python("@cute.kernel\ndef k(:\n  tcgen05.MmaF16BF16Op(", table());
  EXPECT_EQ(f.kernels.size(), 1u);
  EXPECT_TRUE(hit(f, "tcgen05.MmaF16BF16Op"));
}

TEST(ScanCuda, KernelsIncludesAndOperations) {
  const FileFacts f = scan_cuda(R"(/* Copyright (c) somebody */
// A GEMM that loads tiles with TMA.
#include <cute/tensor.hpp>
#include "helper.h"

template <class T>
__global__ static __launch_bounds__(decltype(size(T{}))::value, 1) void
gemm_device(T a) { warpgroup_arrive(); /* SM100_MMA */ }

struct Later;
struct Storage { half_t x; };
int main(int argc, char** argv) { cmd.get_cmd_line_argument("m", m); use<SM90_TMA_LOAD>(); }
)",
                                table());
  EXPECT_EQ(f.kernels, (std::vector<Mention>{{"gemm_device", 8}}));
  EXPECT_EQ(f.imports, (std::vector<Mention>{{"cute/tensor.hpp", 3}, {"helper.h", 4}}));
  EXPECT_EQ(f.flags, (std::vector<Mention>{{"--m", 12}}));
  EXPECT_TRUE(f.has_main);
  EXPECT_TRUE(hit(f, "warpgroup_arrive"));
  EXPECT_TRUE(hit(f, "SM90_TMA_LOAD"));
  EXPECT_FALSE(hit(f, "SM100_MMA"));
  for (const char* broken :
       {"/*", "\"", "#include", "#include <", "__global__", "__global__ __launch_bounds__(", "'", "struct"})
    EXPECT_EQ(scan_cuda(broken, table()).language, Language::cuda_cpp);
}

TEST(ScanNotebook, CodeCellsAreScanned) {
  const std::string notebook = R"json({"cells": [
    {"cell_type": "markdown", "source": ["# A tour of GEMM\n", "words"]},
    {"cell_type": "code", "source": ["@cute.kernel\n", "def k(): pass\n"]},
    {"cell_type": "code", "source": "tcgen05.MmaF16BF16Op()"}, {"cell_type": "code"}, 7]})json";
  const FileFacts f = scan_notebook(notebook, table());
  EXPECT_EQ(f.summary, "A tour of GEMM");
  EXPECT_EQ(f.kernels.size(), 1u);
  EXPECT_TRUE(hit(f, "tcgen05.MmaF16BF16Op"));
  for (const char* broken :
       {"", "{", "[]", "{\"cells\": 3}", "{\"cells\": [{\"cell_type\": \"code\", \"source\": 5}]}",
        "{\"cells\": [{\"cell_type\": 5, \"source\": \"x\"}]}"}) {
    scan_notebook(broken, table());
    scan_page("broken.ipynb", broken);
  }
}

TEST(ScanPage, SectionsOfEveryFormat) {
  const DocPage md = scan_page("guide/tma.md",
                               "intro words\n# TMA loads\nUse `make_tiled_tma_atom_A`.\n```\n# no "
                               "heading\n```\n## Swizzle\nSw<3,4,3>\n");
  ASSERT_EQ(md.sections.size(), 3u);
  EXPECT_EQ(md.sections[1].title, "TMA loads");
  EXPECT_EQ(md.sections[1].line, 2);
  EXPECT_EQ(md.sections[2].line, 7);
  const DocPage rst =
      scan_page("a.rst", "Pipelines\n=========\n\nPipelineTmaAsync moves.\n\nDetails\n-------\nmore text\n");
  ASSERT_EQ(rst.sections.size(), 2u);
  EXPECT_EQ(rst.sections[0].title, "Pipelines");
  EXPECT_EQ(rst.sections[1].line, 6);
  const DocPage nb = scan_page(
      "n.ipynb",
      R"({"cells": [{"cell_type": "markdown", "source": ["# One\n"]}, {"cell_type": "code", "source": ["tensor\n"]},
                                              {"cell_type": "markdown", "source": "## Two\ntext"}]})");
  ASSERT_EQ(nb.sections.size(), 2u);
  EXPECT_EQ(nb.sections[1].line, 3) << "the cell's number";
}

}  // namespace
}  // namespace cutelab::corpus
