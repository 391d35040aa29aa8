#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::cli {

/// An integer of a CuTe shape or stride.
struct HostLeaf {
  std::int64_t value = 0;
  bool fixed = false;  ///< `Int<8>{}`: part of the type
};

/// What an expression of a CUDA C++ main gives, as far as it is followed.
struct HostValue {
  enum class Kind {
    unknown,
    integer,
    word,      ///< a `char`
    real,      ///< `float` and every type that stands for one: half_t …
    memory,    ///< a vector, or a pointer to memory: which run of it
    tuple,     ///< of make_shape and its like, flat: `shape`
    layout,    ///< `shape` and `stride`
    text,      ///< a string literal
    argument,  ///< argv[i]
    address    ///< &name
  };
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;  ///< also of a word
  bool fixed = false;
  double real = 0;
  int memory = -1;
  int argv = -1;     ///< of an argument, and of a number or word that comes of one
  std::string text;  ///< of a text, and of the name whose address it is
  std::vector<HostLeaf> shape, stride;

  bool is(Kind k) const { return kind == k; }
  bool known() const { return kind != Kind::unknown; }
  static HostValue of_integer(std::int64_t value, bool fixed = false);
  static HostValue of_real(double value);
};

/// What the names of an expression mean.
class HostScope {
 public:
  virtual ~HostScope() = default;
  virtual HostValue variable(const std::string& name) const = 0;
  virtual std::string resolved_type(const std::string& type) const = 0;  ///< aliases replaced
  virtual std::int64_t elements_of(int memory) const = 0;                ///< -1: not known
  /// Whether argv[i] is given on the command line, and its text.
  virtual std::optional<std::string> given(int argv) const = 0;
};

/// Never an error: what cannot be followed is unknown.
HostValue evaluate_host(std::string_view text, const HostScope& scope);

/// Bytes of an element of that type as C++ names it; 0 = not known.
int host_element_bytes(const std::string& type);
/// The DSL's name of it ("Float16" for cute::half_t); the type itself where it has none.
std::string host_dtype(const std::string& type);
bool is_real_type(const std::string& type);
/// Without namespaces of CUTLASS, `const`, references and spaces.
std::string bare_type(const std::string& type);
/// Text without comments.
std::string without_comments(std::string_view text);

}  // namespace cutelab::cli
