#include "cli/host_walk.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text.h"

namespace cutelab::cli {

bool names_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto in_word = [&](std::size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + name.size())) return true;
  }
  return false;
}

std::vector<std::string> argument_texts(std::string_view inside) {
  std::vector<std::string> texts;
  int depth = 0;
  std::string now;
  const std::string plain = without_comments(inside);
  char quote = 0;
  for (const char c : plain) {
    if (quote)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '{' || c == '[')
      ++depth;
    else if (c == ')' || c == '}' || c == ']')
      --depth;
    if (c == ',' && depth == 0 && !quote) {
      texts.emplace_back(trim(now));
      now.clear();
    } else {
      now += c;
    }
  }
  if (!trim(now).empty()) texts.emplace_back(trim(now));
  return texts;
}

std::string_view inside_of(std::string_view text) {
  const auto open = text.find_first_of("({"), close = text.find_last_of(")}");
  return open == std::string_view::npos || close == std::string_view::npos || close < open
             ? std::string_view()
             : text.substr(open + 1, close - open - 1);
}

std::string HostMain::resolved_type(const std::string& type) const {
  std::string made = type;
  for (int round = 0; round < 8; ++round) {
    std::string next, word;
    bool changed = false;
    for (std::size_t i = 0; i <= made.size(); ++i) {
      const char c = i < made.size() ? made[i] : '\0';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
        continue;
      }
      const auto local = aliases_.find(word);
      const auto global = file_.aliases.find(word);
      const bool plain = !word.empty() && (next.empty() || next.back() != ':');
      if (plain && local != aliases_.end())
        word = local->second, changed = true;
      else if (plain && global != file_.aliases.end())
        word = global->second, changed = true;
      next += word;
      word.clear();
      if (c) next += c;
    }
    made = next;
    if (!changed) break;
  }
  return std::string(trim(made));
}

HostMain::Next HostMain::run_children(source::Node block) {
  for (const source::Node child : block.children())
    if (run(child) == Next::over) return Next::over;
  return Next::go_on;
}

HostMain::Next HostMain::run(source::Node statement) {
  switch (statement.kind()) {
    case source::Kind::compound_statement:
    case source::Kind::else_clause:
      return run_children(statement);
    case source::Kind::declaration:
      return run_declaration(statement);
    case source::Kind::alias_declaration:
      aliases_[std::string(statement.child(source::Field::name_field).text())] =
          std::string(trim(statement.child(source::Field::type_field).text()));
      return Next::go_on;
    case source::Kind::using_declaration:
      if (statement.text().find("namespace") != std::string_view::npos)
        call_.using_directives.emplace_back(statement.text());
      return Next::go_on;
    case source::Kind::if_statement:
      return run_if(statement);
    case source::Kind::preproc_if:
    case source::Kind::preproc_ifdef:
      return run_conditional_text(statement);
    case source::Kind::expression_statement:
      return run_expression(statement.first());
    case source::Kind::return_statement:
      return Next::over;
    case source::Kind::for_statement:
    case source::Kind::while_statement:
    case source::Kind::do_statement:
    case source::Kind::for_range_loop:
    case source::Kind::switch_statement:
      forget_assigned(statement);
      for (const source::Node call : tree_.all({source::Kind::call_expression}))
        if (statement.contains(call) && run_expression(call) == Next::over) return Next::over;
      return Next::go_on;
    default:
      return Next::go_on;
  }
}

/// `#if 0` is passed over; of all others the first branch is what the compiler is taken to see.
HostMain::Next HostMain::run_conditional_text(source::Node statement) {
  const source::Node condition = statement.child(source::Field::condition_field);
  const source::Node alternative = statement.child(source::Field::alternative_field);
  const bool never = trim(condition.text()) == "0" || statement.text().starts_with("#ifndef") ||
                     trim(condition.text()).starts_with("!defined");
  if (never) return alternative ? run_children(alternative) : Next::go_on;
  call_.skipped.push_back(fmt::format("the first branch of `{}` (line {}) is taken to be what is compiled",
                                      trim(statement.text().substr(0, statement.text().find('\n'))),
                                      statement.line()));
  for (const source::Node child : statement.children())
    if (child != condition && child != alternative && run(child) == Next::over) return Next::over;
  return Next::go_on;
}

void HostMain::forget_assigned(source::Node inside) {
  for (const source::Node assignment : tree_.all({source::Kind::assignment_expression}))
    if (inside.contains(assignment))
      values_.erase(std::string(assignment.child(source::Field::left_field).text()));
  for (std::uint32_t i = inside.index(); inside && i < inside.end_index(); ++i)
    if (const source::Node n = inside.tree()->at(i); n.kind_name() == "update_expression")
      values_.erase(std::string(n.child(source::Field::argument_field).text()));
}

HostMain::Next HostMain::run_if(source::Node statement) {
  const source::Node condition = statement.child(source::Field::condition_field);
  const source::Node yes = statement.child(source::Field::consequence_field);
  const source::Node no = statement.child(source::Field::alternative_field);
  if (names_word(condition.text(), "argc")) {
    // What is read from the command line there is noted; it counts where it is given.
    if (yes.text().find("return") == std::string_view::npos) return run(yes);
    return no ? run(no) : Next::go_on;
  }
  const HostValue value = value_of(inside_of(condition.text()));
  if (value.is(HostValue::Kind::integer)) {
    if (value.integer == 0) return no ? run(no) : Next::go_on;
    const Next next = run(yes);
    if (next == Next::over && call_.function.empty() && !refused_)
      return refuse(statement, fmt::format("main refuses it: {} holds", condition.text()));
    return next;
  }
  const bool leaves = names_word(yes.text(), "return") || names_word(yes.text(), "exit");
  if (leaves) {
    call_.skipped.push_back(fmt::format("`if {}` (line {}) is taken not to hold: it ends main",
                                        replace_all(std::string(condition.text()), "\n", " "),
                                        statement.line()));
    return no ? run(no) : Next::go_on;
  }
  forget_assigned(yes);
  if (no) forget_assigned(no);
  return Next::go_on;
}

}  // namespace cutelab::cli
