#include <algorithm>
#include <array>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_host.h"

/// What the host code calls of libraries: what is known of it, and what it may write to.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
/// Functions that write to nothing they are given by name.
constexpr std::array<std::string_view, 26> reading_functions = {"printf",
                                                                "fprintf",
                                                                "puts",
                                                                "make_shape",
                                                                "make_stride",
                                                                "make_layout",
                                                                "make_coord",
                                                                "make_tensor",
                                                                "ceil_div",
                                                                "round_up",
                                                                "size",
                                                                "print",
                                                                "abs",
                                                                "min",
                                                                "max",
                                                                "clamp",
                                                                "gcd",
                                                                "lcm",
                                                                "atoi",
                                                                "stoi",
                                                                "cudaFree",
                                                                "cudaFuncSetAttribute",
                                                                "cudaMalloc",
                                                                "cudaDeviceSynchronize",
                                                                "cudaGetErrorString",
                                                                "to_string"};

bool only_reads(std::string_view name) {
  return std::find(reading_functions.begin(), reading_functions.end(), name) != reading_functions.end();
}
}  // namespace

/// A function that is not seen: it may write to what it is given by name or by pointer, and run what it is
/// given to run.
CppHostRun::Thing* CppHostRun::unseen(Node n, std::string_view name, const Things& given) {
  for (Thing* one : given)
    if (one->is(Kind::pointer) || one->is(Kind::closure) || one->is(Kind::function) || !only_reads(name))
      poison(one);
  return unknown("a function that is not seen", n);
}

CppHostRun::Thing* CppHostRun::library_function(Node n, std::string_view name, Node of_template,
                                                const Things& given, Scope& scope) {
  const auto number = [&](std::size_t i) {
    return given[i]->is(Kind::value) ? given[i]->value.integer() : std::nullopt;
  };
  if ((name == "move" || name == "forward") && given.size() == 1) return given[0];
  if (name == "swap" && given.size() == 2) {
    Thing* kept = copy(given[0]);
    assign(given[0], given[1]);
    assign(given[1], kept);
    return unknown();
  }
  if (name == "exchange" && given.size() == 2) {
    Thing* kept = copy(given[0]);
    assign(given[0], given[1]);
    return kept;
  }
  if ((name == "make_pair" || name == "make_tuple") && !of_template &&
      std::all_of(given.begin(), given.end(),
                  [](Thing* one) { return one->is(Kind::value) && one->value.integer(); })) {
    Thing* out = made(Kind::record);
    out->value.kind = CppKind::structure;
    out->value.text = name;
    for (std::size_t i = 0; i < given.size(); ++i)
      out->parts.emplace_back(name == "make_pair" ? (i == 0 ? "first" : "second") : std::to_string(i),
                              copy(given[i]));
    return out;
  }
  if (name == "get" && given.size() == 1 && (given[0]->is(Kind::record) || given[0]->is(Kind::array))) {
    const auto at =
        cpp_items(of_template).size() == 1 ? fold(cpp_items(of_template)[0], scope).integer() : std::nullopt;
    if (at && *at >= 0 && *at < static_cast<std::int64_t>(given[0]->parts.size()))
      return given[0]->parts[static_cast<std::size_t>(*at)].second;
    return stop(n);
  }
  if (name == "size" && given.size() == 1 && given[0]->is(Kind::array)) {
    CppValue count = CppValue::of(static_cast<std::int64_t>(given[0]->parts.size()));
    return of_value(cpp_converted(count, "size_t"));
  }
  if (name == "abs" && given.size() == 1 && number(0) && *number(0) > INT32_MIN)
    return of_value(*number(0) < 0 ? cpp_unary("-", given[0]->value) : given[0]->value);
  if (name == "clamp" && given.size() == 3 && number(0) && number(1) && number(2))
    return copy(given[*number(0) < *number(1) ? 1 : *number(2) < *number(0) ? 2 : 0]);
  if ((name == "max" || name == "min") && given.size() == 2 && number(0) && number(1))
    return copy(given[(*number(0) < *number(1)) == (name == "max") ? 1 : 0]);
  std::vector<CppValue> values;
  for (const Thing* one : given) values.push_back(value_of(one));
  if (std::all_of(values.begin(), values.end(), [](const CppValue& v) { return v.known(); }) &&
      name != "get") {
    CppFolder::Frame frame;
    frame.scope = seen_from(n);
    for (Scope* s = &scope; s; s = s->outer)
      for (const auto& [word, one] : s->names) frame.names.try_emplace(std::string(word), value_of(one));
    if (CppValue out = folder_.library_call(name, n, values, of_template, &frame); out.known())
      return of_value(std::move(out));
  }
  return unseen(n, name, given);
}

/// A method of a sequence, a command line or another object of a library.
CppHostRun::Thing* CppHostRun::library_method(Thing* object, std::string_view name, const Things& given,
                                              Node n) {
  if (object->is(Kind::array)) {
    auto& parts = object->parts;
    if (name == "size" && given.empty())
      return of_value(cpp_converted(CppValue::of(static_cast<std::int64_t>(parts.size())), "size_t"));
    if (name == "empty" && given.empty()) return of_value(CppValue::of(std::int64_t{parts.empty()}));
    if ((name == "front" || name == "back") && given.empty() && !parts.empty())
      return name == "front" ? parts.front().second : parts.back().second;
    if (name == "at" && given.size() == 1 && given[0]->value.integer()) {
      const auto at = *given[0]->value.integer();
      if (at >= 0 && at < static_cast<std::int64_t>(parts.size()))
        return parts[static_cast<std::size_t>(at)].second;
    }
    if (name == "data" && given.empty()) {
      Thing* out = made(Kind::pointer);
      out->target = object;
      out->index = 0;
      return out;
    }
    if (object->grows && name == "push_back" && given.size() == 1 && !parts.empty() && parts.size() < 4096) {
      wrote(object);
      Thing* one = copy(parts.front().second);
      assign(one, given[0]);
      parts.emplace_back("", one);
      return unknown();
    }
    if (object->grows && name == "clear") return wrote(object), parts.clear(), unknown();
    poison(object);
    return unseen(n, name, given);
  }
  if (object->is(Kind::closure) || object->is(Kind::function)) return stop(n);
  if (name == "get_cmd_line_argument" && given.size() >= 2) {  // the defaults, as nothing is given
    if (given.size() > 2) assign(given[1], given[2]);
    return unknown();
  }
  if (name == "check_cmd_line_flag") return of_value(CppValue::of(0));
  if (object->is(Kind::record)) poison(object);
  return unseen(n, name, given);
}

}  // namespace cutelab::reading
