#pragma once
#include <memory>
#include <string>

#include "reading/machine/machine.h"
#include "support/text_files.h"

namespace cutelab {

/// A Python text run by the machine as the main program.
class RanProgram {
 public:
  explicit RanProgram(const std::string& text, reading::machine::Machine::Options options = {},
                      const std::vector<std::string>& other_paths = {},
                      const std::vector<std::string>& other_texts = {})
      : files_(other_paths, other_texts), program_(files_, {"/", {}}) {
    program_.open("/program/main.py", text);
    machine_ = std::make_unique<reading::machine::Machine>(program_, std::move(options));
    machine_->run_main();
  }
  reading::machine::Machine& machine() { return *machine_; }

  /// The last value that an assignment gave the name; unbound when none ran.
  reading::machine::Value value(const std::string& name) {
    const source::Tree& tree = program_.module(0).tree();
    reading::machine::Value out;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const source::Node n = tree.at(i);
      if (!n.is(source::Kind::assignment)) continue;
      const source::Node left = n.child(source::Field::left_field);
      if (left.text() != name) continue;
      const auto head = machine_->trace().head(0, left);
      if (head >= 0) out = machine_->trace().seen(head).value;
    }
    return out;
  }
  /// As Python's repr; "?" and the reason for an unknown.
  std::string text(const std::string& name) {
    const auto v = value(name);
    if (!v.bound()) return "unbound";
    if (const auto* unknown = v.as<reading::machine::Unknown>()) return "? " + unknown->reason;
    return machine_->repr(v);
  }

 private:
  TextFiles files_;
  source::Program program_;
  std::unique_ptr<reading::machine::Machine> machine_;
};

}  // namespace cutelab
