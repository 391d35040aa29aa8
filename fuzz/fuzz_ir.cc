// room: compiled
// Any bytes as textual MLIR: parsed and turned into facts, or refused with a place. Every fact lies in a file
// that was named.
#include <cstdint>
#include <string_view>

#include "compiled/read_ir.h"
#include "compiled/sass.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto reading = cutelab::compiled::read_ir(text, {"gemm.py", "helpers.py"});
  if (reading)
    for (const auto& fact : reading->facts)
      if (fact.at.file < 0 || fact.at.file > 1) __builtin_trap();
  int instructions = 0;
  for (const auto& code : cutelab::compiled::parse_lined_sass(text)) {
    instructions = code.mix.total;
    for (const auto& line : code.lines) instructions -= line.mix.total;
    if (instructions != 0) __builtin_trap();
  }
  return 0;
}
