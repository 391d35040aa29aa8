#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/file_source.h"
#include "base/sha256.h"
#include "evidence/reading.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {

/// A folder of its own for each test, removed afterwards.
class KnowledgeFiles : public ::testing::Test {
 protected:
  KnowledgeFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "knowledge-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~KnowledgeFiles() override {
    std::error_code code;
    std::filesystem::permissions(root_, std::filesystem::perms::owner_all, code);
    std::filesystem::remove_all(root_, code);
  }
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const { return *files_.read(path(name), 1u << 24); }

  std::string root_;
  DiskFileSource files_;
};

inline evidence::Location at_line(int line, int last = 0) {
  const auto first = static_cast<std::uint32_t>(line);
  return {0, {first * 100, first * 100 + 50, first, static_cast<std::uint32_t>(last ? last : line), 1}};
}

inline evidence::Fact fact(evidence::Family family, const std::string& kind, const std::string& subject,
                           int line, std::map<std::string, evidence::Value> values = {}) {
  evidence::Fact out;
  out.family = family;
  out.kind = kind;
  out.subject = subject;
  out.says = subject + " is a " + kind;
  out.at = at_line(line);
  out.values = std::move(values);
  return out;
}

/// A reading in small: a two-stage TMA ring with roles, P4 absent.
inline evidence::Reading small_reading() {
  using evidence::Family, evidence::literal;
  evidence::Reading r;
  r.files = {{"gemm.py", "0123456789abcdef", 20}};
  r.language = "cute-dsl";
  r.arch = {"sm_90a", {}, "wgmma", {at_line(9)}, {}};
  r.facts = {fact(Family::D2, "pipeline", "mainloop", 3,
                  {{"class", literal("PipelineTmaAsync")}, {"stages", literal(std::int64_t{4})}}),
             fact(Family::H1, "tma-descriptor", "tma_a", 4, {{"direction", literal("load")}}),
             fact(Family::H1, "tma-descriptor", "tma_b", 5, {{"direction", literal("load")}}),
             fact(Family::D1, "role", "load_warp", 6,
                  {{"registers",
                    evidence::undetermined("needs evaluation", {"self.regs"}, at_line(6), "self.regs")}}),
             fact(Family::H2, "cluster", "cluster", 7, {{"cluster", literal("(2, 1, 1)")}})};
  for (int i = 1; i <= 10; ++i) {
    evidence::PatternFinding finding;
    finding.id = "P" + std::to_string(i);
    finding.title = "pattern " + std::to_string(i);
    finding.present = i == 1 || i == 2;
    finding.default_active = i == 1 ? evidence::Tristate::yes : evidence::Tristate::undetermined;
    if (finding.present) finding.at = {at_line(2 + i)};
    r.patterns.push_back(finding);
  }
  return r;
}

inline Signature signature(const std::string& yaml) {
  const auto parsed = parse_yaml(yaml, "test.md", 1);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message());
  const auto out = parse_signature(*parsed, "test.md");
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message());
  return *out;
}

/// A complete entry; `extra` goes into the front matter, `evidence` is its list.
inline std::string entry_text(const std::string& id, const std::string& evidence,
                              const std::string& extra = "",
                              const std::string& body_of_mechanism = "How it works.") {
  std::string text =
      "---\nid: " + id + "\ntitle: A pattern\nkind: pattern\nscope: shared\nmetrics: [duration_us]\n";
  text += "signature: {all: [pattern: P1]}\nevidence:\n" + evidence + extra + "---\n\n";
  for (const char* title : {"When to Apply", "Mechanism", "Affected Metrics", "Implementation", "Source",
                            "Performance Evidence", "Generalization", "Pitfalls", "Interactions"})
    text += std::string("## ") + title + "\n\n" +
            (std::string(title) == "Mechanism" ? body_of_mechanism : std::string("Words.")) + "\n\n";
  return text;
}

}  // namespace cutelab::knowledge
