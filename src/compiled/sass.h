#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::compiled {

/// Classes of machine instructions that tell how a kernel works, in the order of the report.
const std::vector<std::string>& instruction_classes();

/// Class of an opcode with its modifiers: "LDG.E.128.CONSTANT" -> "LDG 128-bit", "HGMMA.64x256x16.F32.BF16"
/// -> "HGMMA". Opcodes of no special class are "other".
std::string class_of(std::string_view opcode);

/// Instruction counts of one function in one architecture's code.
struct InstructionMix {
  std::string function;  ///< mangled
  std::string arch;      ///< "sm_90a"
  int total = 0;         ///< without NOP padding
  std::map<std::string, int> by_class;
  std::map<std::string, int> by_opcode;  ///< first part only: "LDG", "FFMA"
  int count(const std::string& name) const;
};

/// Text of `cuobjdump -sass` or `nvdisasm`: one entry per function and architecture, in order. Lines of other
/// shape are passed over.
std::vector<InstructionMix> parse_sass(std::string_view text);

/// Instructions that one line of a source became, of one function.
struct LineMix {
  std::string path;  ///< as the line table has it; empty: the table says nothing
  int line = 0;
  InstructionMix mix;
};

/// One function of device code with a line table.
struct LinedCode {
  std::string function;         ///< mangled
  std::optional<int> barriers;  ///< hardware barriers used
  InstructionMix mix;           ///< of all lines
  std::vector<LineMix> lines;   ///< in the order in which the code first comes to them
};

/// Text of `nvdisasm -g -c`: one entry per function, in order. A line of the table holds until the next one.
/// Of an inlined call the innermost line counts. Lines of other shape are passed over.
std::vector<LinedCode> parse_lined_sass(std::string_view text);

}  // namespace cutelab::compiled
