#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <streambuf>

#include "base/text.h"
#include "cli/verb.h"

namespace cutelab::cli {
namespace {

int report(const Error& error, Context& context) {
  context.err << as_called(error.message(), context) << "\n";
  return static_cast<int>(exit_code_of(error.kind));
}

const Verb* find(const std::vector<std::unique_ptr<Verb>>& verbs, const std::string& name) {
  for (const auto& verb : verbs)
    if (verb->spec().name == name) return verb.get();
  return nullptr;
}

Error unknown_verb(const std::vector<std::unique_ptr<Verb>>& verbs, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.push_back(verb->spec().name);
  const auto near = nearest(name, names);
  return Error{ErrorKind::usage, "cutelab " + name, "no such verb", "",
               near ? fmt::format("did you mean `cutelab {}`?", *near) : "verbs: " + join(names, ", ")};
}

/// Data and scripts of the verbs lie in the source tree. Without this each verb would stumble over a wrong
/// CUTELAB_ROOT in its own way, and some not at all.
Status check_source_root(const Context& context) {
  const auto named = context.environment.get("CUTELAB_ROOT");
  if (!named || context.files.status(*named + "/deps/parts.json")) return {};
  return Error{ErrorKind::input, "find cutelab's source tree", "CUTELAB_ROOT names a folder without it",
               *named, "unset it and start the launcher of the tree, which knows where it lies"};
}

/// A verb follows, so that the word before it is the program and not its name in a sentence.
bool begins_with_verb(std::string_view text) {
  static const std::set<std::string> verbs = [] {
    std::set<std::string> names = {"--help", "--version", "VERB"};
    for (const auto& verb : all_verbs()) names.insert(verb->spec().name);
    return names;
  }();
  return verbs.count(std::string(text.substr(0, text.find_first_of(" `\n,;:.)'\"")))) > 0;
}

bool wants_help(const std::vector<std::string>& words) {
  return std::find_if(words.begin(), words.end(), [](auto& w) { return w == "--help" || w == "-h"; }) !=
         words.end();
}

/// What verbs say on standard error is for a person throughout: its commands are spelled as the program was
/// called. Flushed after every output, so that each arrives whole.
class CalledLines final : public std::streambuf {
 public:
  CalledLines(std::ostream& to, const Context& context) : to_(to), context_(context) {}

 protected:
  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof())) held_ += traits_type::to_char_type(c);
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    held_.append(text, static_cast<std::size_t>(count));
    return count;
  }
  int sync() override {
    to_ << as_called(held_, context_) << std::flush;
    held_.clear();
    return to_ ? 0 : -1;
  }

 private:
  std::ostream& to_;
  const Context& context_;
  std::string held_;
};

Result<ExitCode> run_verb(const Verb& verb, const Arguments& arguments, const Context& world) {
  CalledLines lines(world.err, world);
  std::ostream err(&lines);
  err.tie(&world.out);
  err << std::unitbuf;
  Context context{world.out,
                  err,
                  world.files,
                  world.clock,
                  world.environment,
                  world.program,
                  world.source_root,
                  world.out_is_terminal,
                  world.err_is_terminal,
                  world.width,
                  world.width_is_known};
  return verb.run(arguments, context);
}

}  // namespace

std::string as_called(const std::string& text, const Context& context) {
  constexpr std::string_view name = "cutelab ";
  if (context.program == "cutelab") return text;
  const auto part_of_a_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '-' || c == '_';
  };
  std::string called;
  std::size_t from = 0;
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at > 0 && part_of_a_word(text[at - 1])) ||
        !begins_with_verb(std::string_view(text).substr(at + name.size())))
      continue;
    called += text.substr(from, at - from) + context.program + " ";
    from = at + name.size();
  }
  return called + text.substr(from);
}

int dispatch(const std::vector<std::unique_ptr<Verb>>& verbs, const std::vector<std::string>& words,
             Context& context) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    context.out << as_called(overview_text(verbs, context.width), context);
    return static_cast<int>(words.empty() ? ExitCode::usage : ExitCode::ok);
  }
  if (words[0] == "--version") {
    context.out << "cutelab " CUTELAB_VERSION "\n";
    return static_cast<int>(ExitCode::ok);
  }
  const Verb* verb = find(verbs, words[0]);
  if (!verb) return report(unknown_verb(verbs, words[0]), context);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (wants_help(rest)) {
    context.out << as_called(help_text(verb->spec(), context.width), context);
    return static_cast<int>(ExitCode::ok);
  }
  auto arguments = parse_arguments(verb->spec(), rest);
  if (!arguments) return report(arguments.error(), context);
  if (const Status found = check_source_root(context); !found) return report(found.error(), context);
  auto code = run_verb(*verb, *arguments, context);
  context.out.flush();
  if (!code) return report(code.error(), context);
  return static_cast<int>(*code);
}

}  // namespace cutelab::cli
