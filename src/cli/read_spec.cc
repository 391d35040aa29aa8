#include "cli/read_spec.h"

#include "evidence/reading.h"

namespace cutelab::cli {
namespace {

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const auto family : evidence::all_families) names.emplace_back(name_of(family));
  return names;
}

Flag flag(const char* name, const char* value, const char* help) {
  Flag f;
  f.name = name;
  f.value = value;
  f.help = help;
  return f;
}

std::vector<std::string> examples() {
  return {"cutelab read examples/cute_dsl",
          "cutelab read gemm_wgmma_pipelined --full --family D2",
          "cutelab read gemm_wgmma_pipelined --html gemm.html",
          "cutelab read dense_gemm_persistent --arch sm_90a --cutlass ../cutlass --json gemm.json",
          "cutelab read --diff gemm_wgmma_pipelined gemm_persistent_warp_specialized",
          "cutelab read gemm_wgmma_pipelined --verify --strict --with=--mnk --with=512,512,512    # part dsl",
          "cutelab read --diff --compile rmsnorm --dsl-version 4.7.0 --other-dsl-version 4.8.1",
          "cutelab read kernels --wheel 4.6.1 --sarif findings.sarif --fail-on error"};
}

}  // namespace

VerbSpec read_spec() {
  VerbSpec spec;
  spec.name = "read";
  spec.summary = "what a kernel source does, every claim with its line";
  spec.step = "2 READ";
  spec.positionals = {
      {"FILE", "a CuTe DSL or CuTe C++ source, a folder of them, or an example's name", 1, -1}};
  Flag json = flag("--json", "FILE.json",
                   "the whole reading for machines (docs/schema.md); without FILE.json to stdout");
  json.optional_suffix = ".json";
  Flag family = flag("--family", "FAMILY", "only facts of this family, as in --full");
  family.choices = family_names();
  family.repeated = true;
  Flag set =
      flag("--set", "NAME=VALUE", "read with this value of a flag or attribute instead of its default");
  set.repeated = true;
  Flag with = flag("--with", "FLAG", "with --compile: a word of the program's own command line");
  with.repeated = true;
  Flag fail_on = flag("--fail-on", "SEVERITY", "exit with 1 when a rule finds something this bad or worse");
  fail_on.choices = {"error", "warning"};
  Flag other_with =
      flag("--other-with", "FLAG", "with --diff --compile: the second's own command line, as --with");
  other_with.repeated = true;
  spec.flags = {
      flag("--arch", "SM",
           "read for this architecture, as sm_90a; also decides between examples of one name"),
      std::move(set),
      flag("--full", "", "every fact, function, flag and undetermined value instead of one screen"),
      std::move(family),
      flag("--kernel", "NAME", "only kernels whose name contains NAME"),
      std::move(json),
      flag("--html", "FILE", "one self-contained page with the annotated source"),
      flag("--diff", "",
           "two files: what the second has and the first has not, in facts; with --compile what the compiler "
           "says of each, also of one file compiled in two ways"),
      flag("--other-arch", "SM", "with --diff --compile: the second is compiled for this architecture"),
      flag("--other-dsl-version", "VERSION", "with --diff --compile: the second is compiled with this DSL"),
      std::move(other_with),
      flag("--compile", "",
           "also run the program without a GPU and read what its compiler was given: both readings on the "
           "same lines"),
      flag("--verify", "", "only the comparison of both readings"),
      flag("--strict", "", "with --verify or --diff --compile: exit with 1 when something differs"),
      flag("--dsl-version", "VERSION",
           "with --compile: this published version of the CuTe DSL; default: the one that the checkout pins"),
      std::move(with),
      flag("--wheel", "RELEASE", "hold names and rules of the DSL against this wheel, as 4.6.1"),
      std::move(fail_on),
      flag("--sarif", "FILE", "what the rules found as SARIF 2.1.0, for code review"),
      flag("--knowledge", "DIR", "hold the reading against the entries of DIR; default docs/knowledge"),
      flag("--card", "FILE", "key numbers, verdicts and cited lines as JSON"),
      flag("--cutlass", "DIR", "CUTLASS checkout in which names are looked up, else CUTLASS_DIR")};
  for (Flag& file : spec.flags)
    file.is_output =
        file.name == "--json" || file.name == "--html" || file.name == "--sarif" || file.name == "--card";
  spec.examples = examples();
  return spec;
}

}  // namespace cutelab::cli
