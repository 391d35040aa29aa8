#include "cli/layout_flags.h"

#include <fmt/format.h>

namespace cutelab::cli {

const std::vector<LayoutStepFlag>& layout_steps() {
  static const std::vector<LayoutStepFlag> steps = {{"--compose", "LAYOUT", "composition"},
                                                    {"--divide", "TILER", "logical_divide"},
                                                    {"--zipped-divide", "TILER", "zipped_divide"},
                                                    {"--product", "TILER", "logical_product"},
                                                    {"--tile-to-shape", "SHAPE", "tile_to_shape"},
                                                    {"--complement", "SHAPE", "complement"},
                                                    {"--inverse", "left|right", ""},
                                                    {"--coalesce", "", "coalesce"}};
  return steps;
}

namespace {

void add_analysis_flags(std::vector<Flag>& out) {
  const Flag more[] = {
      {"--atom",
       "NAME",
       "start from an atom: wgmma.m64n128k16.f16, ldmatrix.x4, tcgen05.ld.32x32b.x32, K_SW128 …",
       "",
       false,
       {}},
      {"--operand",
       "NAME",
       "which layout of --atom",
       "c",
       false,
       {"a", "b", "c", "source", "destination", "address"}},
      {"--tv", "TILE", "modes are (thread, value) over this tile: draw who holds what", "", false, {}},
      {"--draw", "FORMAT", "a drawing instead of text", "", false, {"text", "svg", "html"}},
      {"--colour", "BY", "what the drawing's colours mean", "value", false, {"value", "bank"}},
      {"--explain", "", "the layout in words", "", false, {}},
      {"--banks",
       "THREADS",
       "bank conflicts of one warp access: thread to index, such as 32:1",
       "",
       false,
       {}},
      {"--access",
       "KIND",
       "the instruction of --banks",
       "load",
       false,
       {"load", "store", "ldmatrix", "stmatrix"}},
      {"--bytes", "N", "bytes per thread of --banks", "one element", false, {}},
      {"--tma", "TILE", "may TMA move this tile of the (global) layout? every rule by name", "", false, {}},
      {"--smem", "LAYOUT", "where the tile of --tma goes, for the rules on that side", "", false, {}},
      {"--address",
       "ADDR",
       "the tensor's base address in the descriptor of --tma, such as 0x0",
       "",
       false,
       {}},
      {"--forms", "", "a swizzled layout in byte and in element form, side by side", "", false, {}},
      {"--units", "", "the layout in the 16-byte units of matrix descriptors", "", false, {}},
      {"--span", "BYTES", "swizzle span of --tma", "128", false, {"16", "32", "64", "128"}},
      {"--bits", "N", "bits of an element", "32; 16 for atoms", false, {}},
      {"--swizzle-unit",
       "UNIT",
       "what the swizzle counts; in shared-memory tensors of kernels: bytes",
       "elements",
       false,
       {"elements", "bytes"}},
      {"--list", "WHAT", "the operations of expressions, or the atoms", "", false, {"operations", "atoms"}},
      {"--file", "FILE", "one expression per line; one result or `error: …` per line", "", false, {}},
      output_flag("-o,--output", "write there instead of the terminal"),
      {"--json", "", "the result as JSON", "", false, {}},
  };
  out.insert(out.end(), std::begin(more), std::end(more));
}

}  // namespace

std::vector<Flag> layout_flags() {
  std::vector<Flag> out;
  for (const LayoutStepFlag& step : layout_steps()) {
    const bool inverse = *step.operation == '\0';
    out.push_back({step.flag,
                   step.value,
                   inverse ? "then invert it" : fmt::format("then {}", step.operation),
                   "",
                   false,
                   {}});
    if (inverse) out.back().choices = {"left", "right"};
  }
  add_analysis_flags(out);
  return out;
}

}  // namespace cutelab::cli
