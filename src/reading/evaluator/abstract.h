#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "evidence/value.h"
#include "source/tree.h"

namespace cutelab::reading {

struct Frame;

/// What the reading knows of an expression without running it. Everything carries a `path`: how the value
/// came to be, in qualified names ("cutlass.pipeline.PipelineTmaUmma.create.make_participants[0]"), so that
/// constructs are recognised through variables, attributes, parameters and helper functions even where the
/// value itself stays unknown.
struct Abstract {
  enum class Kind {
    unknown,
    none,
    boolean,
    integer,
    real,
    text,
    tuple,
    name,
    object,
    function,
    type,
    instance
  };

  Kind kind = Kind::unknown;
  std::string path;         ///< qualified origin; empty = none known
  std::int64_t number = 0;  ///< boolean and integer
  double real = 0;
  std::string text;             ///< text; for unknown: the reason
  std::vector<Abstract> items;  ///< tuple
  int module = -1;       ///< function, type, instance: where it is defined; object: module of `made_at`
  int index = -1;        ///< function or class index in that module
  source::Node made_at;  ///< call that made an object or instance; where an unknown stopped
  const Frame* frame = nullptr;         ///< object, instance: activation of the call that made it
  std::vector<std::string> depends_on;  ///< for unknown

  bool known() const { return kind != Kind::unknown; }
  bool is(Kind k) const { return kind == k; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::boolean; }

  static Abstract unknown(std::string reason, std::vector<std::string> depends_on = {}, source::Node at = {});
  static Abstract none();
  static Abstract boolean(bool b);
  static Abstract integer(std::int64_t n);
  static Abstract of_real(double d);
  static Abstract of_text(std::string s);
  static Abstract tuple(std::vector<Abstract> items);
  static Abstract name(std::string path);
  static Abstract object(std::string path, int module, source::Node made_at);
};

/// Same value (unknowns differ from everything).
bool same(const Abstract& a, const Abstract& b);

}  // namespace cutelab::reading
