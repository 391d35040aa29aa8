#include "compiled/sass.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace cutelab::compiled {
namespace {

struct ClassRule {
  const char* opcode;  ///< the part before the first dot; a trailing '*' matches any continuation
  const char* name;
};

// In the order in which they are tried and reported.
constexpr std::array<ClassRule, 32> rules = {{{"HGMMA", "HGMMA"},
                                              {"QGMMA", "QGMMA"},
                                              {"IGMMA", "IGMMA"},
                                              {"BGMMA", "BGMMA"},
                                              {"UTC*MMA", "UTCMMA"},
                                              {"HMMA", "HMMA"},
                                              {"IMMA", "IMMA"},
                                              {"DMMA", "DMMA"},
                                              {"QMMA", "QMMA"},
                                              {"OMMA", "OMMA"},
                                              {"UTMALDG", "TMA load"},
                                              {"UTMASTG", "TMA store"},
                                              {"UTMAREDG", "TMA reduce"},
                                              {"UTMA*", "TMA other"},
                                              {"UBLK*", "bulk copy"},
                                              {"UTC*", "tensor memory"},
                                              {"LDTM", "tensor memory"},
                                              {"STTM", "tensor memory"},
                                              {"LDGSTS", "LDGSTS"},
                                              {"LDSM", "LDSM"},
                                              {"STSM", "STSM"},
                                              {"MUFU", "MUFU"},
                                              {"SHFL", "SHFL"},
                                              {"REDUX", "SHFL"},
                                              {"BAR", "BAR"},
                                              {"SYNCS", "SYNCS"},
                                              {"UCGABAR*", "cluster barrier"},
                                              {"USETMAXREG", "USETMAXREG"},
                                              {"ATOM*", "atomics"},
                                              {"RED", "atomics"},
                                              {"WARPGROUP", "WARPGROUP"},
                                              {"MEMBAR", "fence"}}};

/// Memory instructions are told apart by width.
constexpr std::array<const char*, 7> sized = {"LDG", "STG", "LDS", "STS", "LDL", "STL", "LD"};

bool matches(std::string_view opcode, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return opcode == pattern;
  const auto head = pattern.substr(0, star);
  const auto tail = pattern.substr(star + 1);
  return opcode.size() >= head.size() + tail.size() && opcode.substr(0, head.size()) == head &&
         opcode.substr(opcode.size() - tail.size()) == tail;
}

std::string width_of(std::string_view modifiers) {
  for (const auto part : split(modifiers, '.')) {
    if (part == "U8" || part == "S8") return "8-bit";
    if (part == "U16" || part == "S16") return "16-bit";
    if (part == "64" || part == "128" || part == "256") return std::string(part) + "-bit";
  }
  return "32-bit";
}

/// The opcode of a line `  /*0a50*/  @!P3 LDG.E.128 R32, desc[UR8][R6.64] ;  /* 0x… */`; empty if the line is
/// none.
std::string_view opcode_of(std::string_view line) {
  line = trim(line);
  if (line.substr(0, 2) != "/*") return {};
  const auto end = line.find("*/");
  if (end == std::string_view::npos || end < 6) return {};
  const auto address = line.substr(2, end - 2);
  if (!std::all_of(address.begin(), address.end(),
                   [](char c) { return std::isxdigit(static_cast<unsigned char>(c)); }))
    return {};
  line = trim(line.substr(end + 2));
  while (!line.empty() && (line[0] == '@' || line[0] == '{')) {
    const auto space = line.find_first_of(" \t");
    line = space == std::string_view::npos ? std::string_view() : trim(line.substr(space));
  }
  const auto stop = line.find_first_of(" \t;");
  const auto opcode = line.substr(0, stop);
  return !opcode.empty() && std::isupper(static_cast<unsigned char>(opcode[0])) ? opcode : std::string_view();
}

void count_instruction(std::string_view opcode, InstructionMix& mix) {
  const std::string base(opcode.substr(0, opcode.find('.')));
  if (base == "NOP") return;
  ++mix.total;
  ++mix.by_opcode[base];
  ++mix.by_class[class_of(opcode)];
}

/// `//## File "gemm.py", line 12 inlined at "…", line 40` -> gemm.py, 12. False: the line is none.
bool read_table_line(std::string_view bare, std::string& path, int& number) {
  constexpr std::string_view begin = "//## File \"", middle = "\", line ";
  if (!bare.starts_with(begin)) return false;
  const auto end = bare.find(middle, begin.size());
  if (end == std::string_view::npos) return false;
  const std::string_view rest = bare.substr(end + middle.size());
  const auto digits = parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (!digits) return false;
  path = std::string(bare.substr(begin.size(), end - begin.size()));
  number = static_cast<int>(*digits);
  return true;
}

}  // namespace

const std::vector<std::string>& instruction_classes() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const ClassRule& rule : rules)
      if (std::find(names.begin(), names.end(), rule.name) == names.end()) names.emplace_back(rule.name);
    for (const char* opcode : sized)
      for (const char* width : {"8-bit", "16-bit", "32-bit", "64-bit", "128-bit", "256-bit"})
        names.push_back(std::string(opcode) + " " + width);
    names.emplace_back("other");
    return names;
  }();
  return all;
}

std::string class_of(std::string_view opcode) {
  const auto dot = opcode.find('.');
  const auto base = opcode.substr(0, dot);
  for (const ClassRule& rule : rules)
    if (matches(base, rule.opcode)) return rule.name;
  for (const char* name : sized)
    if (base == name)
      return std::string(base) + " " + width_of(dot == std::string_view::npos ? "" : opcode.substr(dot + 1));
  return "other";
}

int InstructionMix::count(const std::string& name) const {
  const auto it = by_class.find(name);
  return it == by_class.end() ? 0 : it->second;
}

std::vector<InstructionMix> parse_sass(std::string_view text) {
  std::vector<InstructionMix> all;
  std::string arch;
  for (const auto line : split(text, '\n')) {
    const auto bare = trim(line);
    if (bare.substr(0, 9) == "code for ") arch = std::string(bare.substr(9));
    if (const auto at = bare.find("Function : "); at == 0) {
      all.emplace_back();
      all.back().function = std::string(bare.substr(11));
      all.back().arch = arch;
      continue;
    }
    const auto opcode = opcode_of(line);
    if (!opcode.empty() && !all.empty()) count_instruction(opcode, all.back());
  }
  return all;
}

std::vector<LinedCode> parse_lined_sass(std::string_view text) {
  constexpr std::string_view section = ".section\t.text.", flags = ".sectionflags\t@\"SHF_BARRIERS=";
  std::vector<LinedCode> all;
  std::map<std::pair<std::string, int>, std::size_t> known;
  std::string path;
  int number = 0;
  for (const auto line : split(text, '\n')) {
    const auto bare = trim(line);
    if (bare.starts_with(".section\t")) {
      // What follows another section's head is not the last function's.
      if (!bare.starts_with(section)) continue;
      all.emplace_back();
      all.back().function = std::string(bare.substr(section.size(), bare.find(',') - section.size()));
      known.clear();
      path.clear();
      number = 0;
      continue;
    }
    if (all.empty()) continue;
    if (bare.starts_with(flags)) {
      const auto digits = bare.substr(flags.size(), bare.find('"', flags.size()) - flags.size());
      if (const auto count = parse_integer(digits)) all.back().barriers = static_cast<int>(*count);
      continue;
    }
    // Lines that say where a call was inlined follow the innermost one.
    if (read_table_line(bare, path, number)) continue;
    const auto opcode = opcode_of(line);
    if (opcode.empty()) continue;
    const auto [place, fresh] = known.try_emplace({path, number}, all.back().lines.size());
    if (fresh) all.back().lines.push_back({path, number, {}});
    count_instruction(opcode, all.back().lines[place->second].mix);
    count_instruction(opcode, all.back().mix);
  }
  return all;
}

}  // namespace cutelab::compiled
