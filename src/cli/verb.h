#pragma once
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::cli {

/// One flag of a verb; help, parsing and `--help --json` come from this alone.
struct Flag {
  std::string name;   ///< "--arch"; "-l,--list" for two spellings
  std::string value;  ///< "SM" shown in help; empty = a switch
  std::string help;
  std::string default_text;          ///< shown in help; empty = none
  bool repeated = false;             ///< may be given several times
  std::vector<std::string> choices;  ///< the only values allowed; a typo gets a suggestion
  /// Set: the value may be left out and is "-" then. The next word is taken as the value only if it is "-" or
  /// ends in this (".json"), so that `--json FILE.py` never writes over a source; `--json=ANY` always works.
  std::string optional_suffix = {};
  bool is_output = false;  ///< a file that the verb writes at its end: whether it can is asked at once
};

/// A flag that names a file which the verb writes.
Flag output_flag(std::string name, std::string help);

struct Positional {
  std::string name;  ///< "FILE"
  std::string help;
  int least = 0;
  int most = 0;  ///< -1 = any number
};

struct VerbSpec {
  std::string name;     ///< "read"
  std::string summary;  ///< one line
  std::string step;     ///< "2 READ"; empty for helpers such as doctor
  std::vector<Positional> positionals;
  std::vector<Flag> flags;
  std::vector<std::string> examples;  ///< full command lines
  bool open_flags = false;  ///< unknown `--name=value` are collected in Arguments::open (kernel parameters)
};

/// Parsed command line of one verb.
class Arguments {
 public:
  bool has(const std::string& flag) const { return values_.count(flag) > 0; }
  std::string get(const std::string& flag, const std::string& otherwise = "") const;
  std::vector<std::string> all(const std::string& flag) const;
  const std::vector<std::string>& positionals() const { return positionals_; }
  const std::vector<std::pair<std::string, std::string>>& open() const { return open_; }

  std::map<std::string, std::vector<std::string>> values_;  ///< by the long spelling, with its dashes
  std::vector<std::string> positionals_;
  std::vector<std::pair<std::string, std::string>> open_;
};

/// The world a verb runs in: streams, files, clock, environment. Tests put in their own.
struct Context {
  std::ostream& out;
  std::ostream& err;
  const FileSource& files;
  const Clock& clock;
  const Environment& environment;
  std::string program;      ///< path of the launcher, for messages that quote a command
  std::string source_root;  ///< where data/, docs/, examples/ and build/deps lie
  bool out_is_terminal = false;
  bool err_is_terminal = false;  ///< progress is drawn only there
  int width = 100;               ///< columns of the terminal; 100 without one
  bool width_is_known = false;   ///< a terminal or COLUMNS said so; else tables are as wide as they are

  /// For render::fitted.
  int table_width() const { return width_is_known ? width : 0; }
};

class Verb {
 public:
  virtual ~Verb() = default;
  virtual VerbSpec spec() const = 0;
  virtual Result<ExitCode> run(const Arguments& arguments, Context& context) const = 0;
};

/// Every verb, in the order help lists them. One line per verb in verbs.cc.
std::vector<std::unique_ptr<Verb>> all_verbs();

/// Parses `words` (without the verb's name) against `spec`. Errors (kind usage) name the word, the verb and
/// the nearest flag.
Result<Arguments> parse_arguments(const VerbSpec& spec, const std::vector<std::string>& words);

/// Columns for which texts are written where no terminal says how many it has.
constexpr int usual_width = 100;

/// Help of one verb in lines of at most `width` columns, as far as its examples let it.
std::string help_text(const VerbSpec& spec, int width = usual_width);
/// What `cutelab --help` shows: every verb in a line or two.
std::string overview_text(const std::vector<std::unique_ptr<Verb>>& verbs, int width = usual_width);

/// argv without the program's name; writes to context; returns the process's exit code.
int dispatch(const std::vector<std::unique_ptr<Verb>>& verbs, const std::vector<std::string>& words,
             Context& context);

/// A text for a person, its commands as the user calls this program: "`cutelab list`" becomes "`./cutelab
/// list`" where that is how it was started.
std::string as_called(const std::string& text, const Context& context);

}  // namespace cutelab::cli
