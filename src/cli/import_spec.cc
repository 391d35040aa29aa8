#include "cli/import_spec.h"

#include <string>
#include <vector>

#include "cli/captures.h"
#include "kernel/operators.h"

namespace cutelab::cli {
namespace {

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const auto& spec : kernel::all_operators()) names.push_back(spec.name);
  return names;
}

/// How programs are run, and what becomes of them.
std::vector<Flag> run_flags() {
  return {
      {"--jobs", "N", "programs run at once", "2", false, {}},
      {"--timeout", "SECONDS", "a run of the program that lasts longer is ended", "180", false, {}},
      {"--sweep",
       "",
       "FILE is a CUTLASS checkout or a folder: attempt every file and say of each how it ends; writes no "
       "package",
       "",
       false,
       {}},
      {"--only", "TEXT", "of a sweep: files whose path holds this", "", false, {}},
      output_flag("--report", "of a sweep: write the table there, as a page in Markdown"),
      {"--by-path", "", "the program and its helpers stay where they are; so without a word", "", false, {}},
      {"--copy-helpers",
       "",
       "copy the program and the files beside it that it consists of into the package",
       "",
       false,
       {}},
      {"--as-it-is", "", "do not try the program's options: the package has the one problem", "", false, {}},
      {"--replace", "", "write an imported package of this name anew", "", false, {}},
      {"--dry-run", "", "print what would be written; write nothing", "", false, {}},
      {"--cutlass", "DIR", "CUTLASS checkout in which names are looked up, else CUTLASS_DIR", "", false, {}}};
}

}  // namespace

VerbSpec import_spec() {
  VerbSpec spec;
  spec.name = "import";
  spec.summary = "make a kernel package of a CuTe DSL or CuTe C++ program";
  spec.step = "3 IMPORT";
  spec.positionals = {
      {"FILE",
       "a CuTe DSL or CUDA C++ program with a main, an example's name, or RECIPE.json:ENTRY; a folder with "
       "--sweep",
       1, 1},
      {"-- FLAG", "options of the program that stay as given here", 0, -1}};
  spec.flags = {
      {"--layer",
       "NAME",
       "which layer of a model it belongs to, as gemm, norm, attention",
       "misc",
       false,
       {}},
      {"--design", "NAME", "the package's name", "the file's", false, {}},
      {"--version", "N", "version of the design; 0 is the base version", "0", false, {}},
      {"--operator", "NAME", "what it computes, where that is not to be told from its tensors and its name",
       "", false, operator_names()}};
  for (const auto& more : {program_flags(), run_flags()})
    spec.flags.insert(spec.flags.end(), more.begin(), more.end());
  spec.examples = {"cutelab import examples/cute_dsl/rmsnorm.py --design my_rmsnorm --dry-run",
                   "cutelab import dense_gemm --arch sm_90a --layer gemm --design my_gemm",
                   "cutelab import dense_gemm --arch sm_90a --design my_gemm -- --a_major m",
                   "cutelab import my_kernel.py --layer gemm --version 1 --operator gemm",
                   "cutelab import data/recipes/quack.json:softmax_fwd --design my_softmax",
                   "cutelab import --sweep ~/cutlass --only hopper"};
  return spec;
}

}  // namespace cutelab::cli
