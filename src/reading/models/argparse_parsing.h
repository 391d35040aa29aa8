#pragma once
#include <set>
#include <string>
#include <vector>

#include "reading/models/argparse.h"

namespace cutelab::reading::machine::argparse_models {

using Words = std::vector<std::string>;

/// What is parsed into: a Namespace, or an object of the program's.
class Space {
 public:
  Space(Call& call, Value space) : m_(call.machine), call_(call), space_(space) {}
  const Value& value() const { return space_; }
  Value get(const std::string& name) const;  ///< unbound: it has none of the name
  void set(const std::string& name, const Value& value) {
    m_.store(space_, m_.symbol(name), value, call_.node, call_.module);
  }

 private:
  Machine& m_;
  Call& call_;
  Value space_;
};

std::string text_field(Machine& machine, const Record* record, const char* name);

/// One parser at work, as Python's parse_known_args: defaults first, then the words, then the types of the
/// defaults that are texts and still stand.
class Parsing {
 public:
  Parsing(Call& call, Space& space, Record* parser);
  void run(const Words& words);
  /// Whatever may be parsed is not known.
  void lose(const char* why);
  const Words& extras() const { return extras_; }

 private:
  std::string dest_of(const Record* argument) const;  ///< empty: it is stored nowhere
  void fail(const std::string& what);
  bool is_plain() const;
  void set_defaults();

  // Words: argparse_words.cc
  Record* option(const std::string& word);
  bool is_option(const std::string& word);
  void parse(const Words& words);
  std::size_t take_places(const Words& words, std::size_t at, std::size_t next);
  std::size_t take_option(const Words& words, std::size_t at);
  void command(Record* subparsers, const Words& words);

  // Values: argparse_values.cc
  Value typed(const Record* argument, const Value& text);
  Value checked(const Record* argument, const Value& value);
  Value of_word(const Record* argument, const std::string& word);
  Value of_words(const Record* argument, bool place, const Words& words);
  Value taken(const Record* argument, const std::string& flag, const Words& words, const Value& before);
  Value appended(const Value& before, const Value& value, bool several);
  void take(Record* argument, const std::string& flag, const Words& words);
  const std::string* setting_of(const Record* argument, const std::string& dest);
  void set_settings();
  Value as_setting(const Record* argument, const std::string& given);
  void finish(const Record* argument);
  void exclude();

  Call& call_;
  Machine& m_;
  Space& space_;
  Record* parser_;
  std::vector<Record*> arguments_, places_;
  std::set<const Record*> seen_;
  Words extras_;
  bool ambiguous_ = false, lost_ = false;
};

bool takes_several(Machine& machine, const Record* argument);

}  // namespace cutelab::reading::machine::argparse_models
