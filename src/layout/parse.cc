#include "layout/parse.h"

#include <fmt/format.h>

#include "base/text.h"
#include "layout/fault.h"
#include "layout/operations.h"
#include "layout/parse_leaf.h"

namespace cutelab::layout {
namespace {

class Parser : private LeafParser {
 public:
  explicit Parser(std::string_view text) : LeafParser(text) {}

  Result<Value> run() {
    if (text_.size() > max_expression_bytes)
      return error(max_expression_bytes,
                   fmt::format("the expression is longer than {} bytes", max_expression_bytes), "");
    if (trim(text_).empty())
      return error(0, "nothing to read", "write a layout such as (8,(2,4)):(1,(8,16))");
    auto value = expression();
    if (!value) return value;
    skip();
    if (at_ != text_.size()) return unexpected("the end");
    return value;
  }

 private:
  // ---- expressions
  // ------------------------------------------------------------------------------------------------
  Result<Value> expression() {
    if (++depth_ > max_expression_depth)
      return error(at_, fmt::format("nested deeper than {} levels", max_expression_depth), "");
    auto value = expression_here();
    --depth_;
    return value;
  }

  Result<Value> expression_here() {
    skip();
    const std::size_t start = at_;
    auto value = primary();
    if (!value) return value;
    if (peek() == ':') value = with_stride(start, *value);
    if (!value) return value;
    if (value->swizzle()) return after_swizzle(*value->swizzle());
    const std::size_t operator_at = at_;
    if (!circle()) return value;
    auto right = expression();
    if (!right) return right;
    auto left_layout = value->as_layout();
    if (!left_layout) return placed(start, left_layout.error());
    return composed(operator_at, *left_layout, *right);
  }

  Result<Value> composed(std::size_t at, const ComposedLayout& left, const Value& right) {
    const Operation* composition = find_operation("composition");
    auto value = composition->run({Value(left), right});
    if (!value) return placed(at, value.error());
    return value;
  }

  bool circle() {
    skip();
    if (accept("∘")) return true;
    if (name_here() != "o") return false;
    at_ += 1;
    return true;
  }

  Result<Value> with_stride(std::size_t start, const Value& shape) {
    if (!shape.tuple()) return error(start, "a shape should stand before `:`", "");
    accept(":");
    skip();
    const std::size_t stride_at = at_;
    auto stride = primary();
    if (!stride) return stride;
    if (!stride->tuple()) return error(stride_at, "a stride should stand here", "");
    auto layout = Layout::make(*shape.tuple(), *stride->tuple());
    if (layout) return Value(std::move(*layout));
    Error e = placed(stride_at, layout.error());
    if (depth_ > 1) e.remedy = "inside parentheses: is a `)` missing before the `:`?";
    return e;
  }

  Result<Value> after_swizzle(const Swizzle& swizzle) {
    Int offset = 0;
    if (accept(",")) {
      if (peek() != '"') return unexpected("a quoted layout");
    } else if (circle()) {
      const std::size_t save = at_;
      auto middle = leaf_sum();
      if (middle && circle())
        offset = *middle;
      else
        at_ = save;  // Sw o layout: offset 0
    } else {
      return Value(swizzle);
    }
    skip();
    const std::size_t inner_at = at_;
    auto inner = expression();
    if (!inner) return inner;
    auto layout = inner->as_plain_layout();
    if (!layout) return placed(inner_at, layout.error());
    return Value(ComposedLayout(swizzle, offset, std::move(*layout)));
  }

  Result<Value> primary() {
    const char c = peek();
    if (c == '"') return wrapped("\"");
    if (c == '!') {
      ++at_;
      at_ += name_here().size();
      if (auto status = expect("<"); !status) return status.error();
      return wrapped(">", true);
    }
    if (c == '(') return parenthesis();
    if (c == '<') return tiler_list('>');
    if (c == '[') return tiler_list(']');
    const std::string_view name = name_here();
    if (name == "_") {
      ++at_;
      return Value(Tiler::all());
    }
    const std::size_t after = at_ + name.size();
    const char next = after < text_.size() ? text_[after] : '\0';
    if ((name == "Sw" || name == "S" || name == "Swizzle") && next == '<') return swizzle();
    if (next == '(' && find_operation(name)) return call(*find_operation(name));
    if (next == '(' && !is_leaf_function(name)) return unknown_operation(name);
    auto leaf = leaf_sum();
    if (!leaf) return leaf.error();
    return Value(IntTuple(std::move(*leaf)));
  }

  Result<Value> wrapped(std::string_view close, bool opened = false) {
    if (!opened) ++at_;
    auto inner = expression();
    if (!inner) return inner;
    if (auto status = expect(close); !status) return status.error();
    return inner;
  }

  Result<Value> unknown_operation(std::string_view name) {
    std::vector<std::string> names;
    for (const Operation& operation : operations()) names.emplace_back(operation.name);
    const auto near = nearest(name, names);
    return error(at_, fmt::format("there is no operation `{}`", name),
                 near ? fmt::format("did you mean `{}`?", *near)
                      : "`cutelab layout --list operations` shows them all");
  }

  Status items(char close, std::vector<Value>& out, std::vector<std::size_t>& places) {
    ++at_;
    if (peek() == close) {
      ++at_;
      return {};
    }
    while (true) {
      skip();
      places.push_back(at_);
      auto item = expression();
      if (!item) return item.error();
      out.push_back(std::move(*item));
      if (accept(std::string_view(&close, 1))) return {};
      if (auto status = expect(","); !status) return unexpected(fmt::format("`,` or `{}`", close));
      if (peek() == close && close == ')') {  // Python's (8,)
        ++at_;
        return {};
      }
    }
  }

  Result<Value> parenthesis() {
    if (IntTuple tuple; numbers_tuple(tuple)) return Value(std::move(tuple));
    const std::size_t open = at_;
    std::vector<Value> values;
    std::vector<std::size_t> places;
    if (auto status = items(')', values, places); !status) return status.error();
    bool all_tuples = true;
    for (const Value& value : values) all_tuples &= value.tuple() != nullptr;
    // (A) is A in parentheses, as everywhere; (A,) and <A> are tilers of one mode.
    if (values.size() == 1 && values[0].is_layout() && trim(text_.substr(open, at_ - 1 - open)).back() != ',')
      return std::move(values[0]);
    if (!all_tuples) return tiler_of(values, places);
    std::vector<IntTuple> modes;
    for (const Value& value : values) modes.push_back(*value.tuple());
    return Value(IntTuple::tuple(modes));
  }

  Result<Value> tiler_list(char close) {
    std::vector<Value> values;
    std::vector<std::size_t> places;
    if (auto status = items(close, values, places); !status) return status.error();
    return tiler_of(values, places);
  }

  Result<Value> tiler_of(const std::vector<Value>& values, const std::vector<std::size_t>& places) {
    std::vector<Tiler> modes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto mode = values[i].as_tiler();
      if (!mode) return placed(places[i], mode.error());
      modes.push_back(std::move(*mode));
    }
    return Value(Tiler::tuple(std::move(modes)));
  }

  Result<Value> swizzle() {
    const std::size_t start = at_;
    at_ += name_here().size();
    accept("<");
    std::int64_t numbers[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (i > 0)
        if (auto status = expect(","); !status) return status.error();
      auto n = integer();
      if (!n) return n.error();
      numbers[i] = *n;
    }
    if (auto status = expect(">"); !status) return status.error();
    auto made = Swizzle::make(numbers[0], numbers[1], numbers[2]);
    if (!made) return placed(start, made.error());
    return Value(*made);
  }

  Result<Value> call(const Operation& operation) {
    const std::size_t start = at_;
    at_ += operation.name.size();
    std::vector<Value> values;
    std::vector<std::size_t> places;
    if (auto status = items(')', values, places); !status) return status.error();
    const int count = static_cast<int>(values.size());
    if (count < operation.least || (operation.most >= 0 && count > operation.most))
      return error(
          start,
          fmt::format("`{}` takes ({}), not {} arguments", operation.name, operation.parameters, count), "");
    auto result = operation.run(values);
    if (!result) return placed(start, result.error());
    return result;
  }
};

// Errors of the conversion concern the whole text.
template <class T>
Result<T> located(Result<T> result, std::string_view text) {
  if (result) return result;
  Error e = result.error();
  e.asked = "read layout expression";
  if (e.where.empty()) e.where = printable(text.substr(0, 120));
  return e;
}

}  // namespace

Result<Value> parse(std::string_view text) { return Parser(text).run(); }

Result<ComposedLayout> parse_layout(std::string_view text) {
  auto value = parse(text);
  if (!value) return value.error();
  return located(value->as_layout(), text);
}

Result<Tiler> parse_tiler(std::string_view text) {
  auto value = parse(text);
  if (!value) return value.error();
  return located(value->as_tiler(), text);
}

Result<IntTuple> parse_tuple(std::string_view text) {
  auto value = parse(text);
  if (!value) return value.error();
  if (const IntTuple* tuple = value->tuple()) return *tuple;
  return Error{ErrorKind::input, "read layout expression", "an integer or a tuple of integers is wanted",
               printable(text.substr(0, 120)), ""};
}

}  // namespace cutelab::layout
