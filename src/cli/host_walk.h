#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/host_functions.h"
#include "cli/host_main.h"
#include "source/tree.h"

namespace cutelab::cli {

/// Runs the statements of a main one after the other, up to the call that is looked for.
class HostMain final : public HostScope {
 public:
  HostMain(const std::string& path, const source::Tree& tree, std::map<int, std::string> given)
      : path_(path), tree_(tree), file_(host_file(tree)), given_(std::move(given)) {}

  Result<HostCall> go();

  HostValue variable(const std::string& name) const override {
    HostValue value;
    if (name == "argv") value.kind = HostValue::Kind::argument;
    const auto it = values_.find(name);
    return it == values_.end() ? value : it->second;
  }
  std::string resolved_type(const std::string& type) const override;
  std::int64_t elements_of(int memory) const override {
    return call_.memories[static_cast<std::size_t>(memory)].elements;
  }
  std::optional<std::string> given(int argv) const override {
    const auto it = given_.find(argv);
    return it == given_.end() ? std::nullopt : std::optional(it->second);
  }

 private:
  enum class Next { go_on, over };
  Next run(source::Node statement);
  Next run_children(source::Node block);
  Next run_if(source::Node statement);
  Next run_conditional_text(source::Node statement);
  Next run_declaration(source::Node declaration);
  Next run_expression(source::Node expression);
  void declare(const std::string& name, const std::string& type, bool pointer, std::string_view value);
  void assign(const std::string& name, HostValue value);
  void note_argument(const std::string& name, const HostValue& value);
  bool scan_argument(const std::string& call, const std::vector<std::string>& arguments);
  bool allocate(const std::string& call, const std::vector<std::string>& arguments);
  Next take_call(source::Node call, const std::string& name, const std::vector<std::string>& arguments);
  HostArgument argument_for(const HostParameter& parameter, const std::string& text) const;
  HostValue value_of(std::string_view text) const { return evaluate_host(text, *this); }
  void forget_assigned(source::Node inside);
  std::vector<std::string> letters_of(const std::string& name) const;
  Next refuse(source::Node at, std::string why) {
    refused_ =
        Error{ErrorKind::usage, "follow main", std::move(why), fmt::format("{}:{}", path_, at.line()), ""};
    return Next::over;
  }

  const std::string& path_;
  const source::Tree& tree_;
  HostFile file_;
  std::map<int, std::string> given_;
  std::map<std::string, HostValue> values_;
  std::map<std::string, std::string> types_, aliases_;
  HostCall call_;
  std::optional<Error> refused_;
  source::Node kernel_in_main_;
};

/// Whether a text holds a name as a word of its own.
bool names_word(std::string_view text, std::string_view name);
/// Arguments of a call as they are written, without comments.
std::vector<std::string> argument_texts(std::string_view inside);
/// What stands between the outermost parentheses or braces.
std::string_view inside_of(std::string_view text);

}  // namespace cutelab::cli
