#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cli/verb.h"

namespace cutelab::cli {
namespace {

std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs) {
  std::string out =
      "cutelab: understand, import, measure and document CuTe GPU kernels\n\n"
      "usage: cutelab VERB … | cutelab VERB --help | cutelab --version\n\n";
  for (const auto& verb : verbs) {
    const VerbSpec spec = verb->spec();
    out += fmt::format("  {:<10} {:<12} {}\n", spec.name, spec.step, spec.summary);
  }
  out +=
      "\nexit codes: 0 done, 1 a check failed, 2 wrong use or bad input, 3 not possible on this machine, 4 a "
      "fault of ours, 5 the kernel under test faulted or ran past its time limit\n";
  return out;
}

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
    std::set<std::string> names = {"--help", "--version"};
    for (const auto& verb : all_verbs()) names.insert(verb->spec().name);
    return names;
  }();
  return verbs.count(std::string(text.substr(0, text.find_first_of(" `\n,;:.)'\"")))) > 0;
}

bool wants_help(const std::vector<std::string>& words) {
  return std::find_if(words.begin(), words.end(), [](auto& w) { return w == "--help" || w == "-h"; }) !=
         words.end();
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
    context.out << overview(verbs);
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
    context.out << help_text(verb->spec());
    return static_cast<int>(ExitCode::ok);
  }
  auto arguments = parse_arguments(verb->spec(), rest);
  if (!arguments) return report(arguments.error(), context);
  if (const Status found = check_source_root(context); !found) return report(found.error(), context);
  auto code = verb->run(*arguments, context);
  context.out.flush();
  if (!code) return report(code.error(), context);
  return static_cast<int>(*code);
}

}  // namespace cutelab::cli
