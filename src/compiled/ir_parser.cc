#include <fmt/format.h>

#include "compiled/ir.h"
#include "compiled/ir_cursor.h"
#include "compiled/ir_scope.h"

namespace cutelab::compiled::ir {
namespace {

class Parser : Cursor {
 public:
  explicit Parser(std::string_view text) : Cursor(text) {}

  Result<Module> run() {
    module_.operations.reserve(text_.size() / 120);
    module_.values.reserve(text_.size() / 100);
    module_.operands.reserve(text_.size() / 60);
    while (!failed_ && statement()) {
    }
    if (failed_) return *failed_;
    if (!open_.empty()) {
      const Operation& inner = module_.operations[open_.back().operation];
      return error(text_.size(), fmt::format("the text ends inside '{}' of line {}", inner.name, inner.line));
    }
    if (module_.operations.empty()) return error(text_.size(), "holds no operation");
    return std::move(module_);
  }

 private:
  /// An operation whose region is being read.
  struct Open {
    Id operation;
    std::size_t brackets;  ///< that were open when the region began
  };

  /// Reads one statement. False: the text is at its end.
  bool statement() {
    skip_blank();
    if (at_ >= text_.size()) return false;
    const char c = text_[at_];
    if (c == '}' && !open_.empty())
      close_region();
    else if (c == '^')
      block_label();
    else if (c == '!' || c == '#')
      alias();
    else if (c == '{' && text_.substr(at_, 3) == "{-#")
      resources();
    else if (c == '%' || c == '"' || letter(c))
      operation();
    else
      fail(at_, fmt::format("no operation begins with '{}'", printable_character(c)));
    return true;
  }

  /// "!name = type" or "#name = attribute"; locations go to their table.
  void alias() {
    const std::size_t begin = at_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(begin, end - begin);
    const auto equals = line.find(" = ");
    if (equals == std::string_view::npos) {
      fail(begin, "an alias has no ' = '");
      return;
    }
    const std::string_view name = line.substr(0, equals);
    std::string_view value = line.substr(equals + 3);
    while (!value.empty() && (value.back() == '\r' || value.back() == ' ')) value.remove_suffix(1);
    at_ = end;
    if (name.substr(0, 4) == "#loc" && value.substr(0, 4) == "loc(" && value.back() == ')') {
      std::uint32_t number = 0;
      for (const char c : name.substr(4))
        number = digit(c) ? number * 10 + static_cast<std::uint32_t>(c - '0') : 0;
      module_.locations.define(number, value.substr(4, value.size() - 5));
    } else {
      module_.aliases.emplace(name, value);
    }
  }

  /// "{-# … #-}": data of resources, which no fact needs.
  void resources() {
    const auto end = text_.find("#-}", at_);
    if (end == std::string_view::npos) {
      fail(at_, "'{-#' is not closed");
      return;
    }
    for (; at_ < end + 3; ++at_) line_ += text_[at_] == '\n';
  }

  /// "^bb0(%a: type, …):": its values belong to the region.
  void block_label() {
    const std::size_t begin = at_;
    int depth = 0;
    Id passed = condition();
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) return;
        --at_;
      } else if (c == '%') {
        const std::string_view name = value_name();
        const Id value = argument(name, open_.empty() ? none : open_.back().operation);
        module_.values[value].type = argument_type();
        if (passed != none) module_.values[value].initial = module_.operands[passed];
        if (passed != none && ++passed == module_.operands.size()) passed = none;
        scope_.define(name, value);
        --at_;
      } else if (c == '(' || c == '<' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}' || (c == '>' && text_[at_ - 1] != '-')) {
        --depth;
      } else if (c == ':' && depth == 0) {
        ++at_;
        return;
      } else if (c == '\n') {
        ++line_;
      }
    }
    fail(begin, "a block's label is not closed");
  }

  /// At the begin of the second region of a scf.while: where among the operands those that its condition
  /// passes on begin. `none` elsewhere.
  Id condition() const {
    if (open_.empty() || module_.operations.empty()) return none;
    const Operation& last = module_.operations.back();
    const bool passes =
        last.name == "scf.condition" && last.parent == open_.back().operation && last.operands > 1;
    return passes ? last.first_operand + 1 : none;
  }

  void operation() {
    if (module_.operations.size() >= none / 2) {
      fail(at_, "too many operations");
      return;
    }
    const Id index = static_cast<Id>(module_.operations.size());
    module_.operations.emplace_back();
    Operation& operation = module_.operations.back();
    operation.line = line_;
    operation.parent = open_.empty() ? none : open_.back().operation;
    operation.end = index + 1;
    operation.first_result = static_cast<Id>(module_.values.size());
    if (text_[at_] == '%' && !results(index)) return;
    if (!operation_name(operation)) return;
    operation.results = static_cast<Id>(module_.values.size()) - operation.first_result;
    operation.first_operand = static_cast<Id>(module_.operands.size());
    header_begin_ = at_;
    in_header_ = true;
    arguments_.clear();
    brackets_.clear();
    current_ = index;
    body();
  }

  /// "%a, %b:2 = "
  bool results(Id index) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] == '%') {
      const std::string_view name = value_name();
      std::uint32_t count = 1;
      if (at_ < text_.size() && text_[at_] == ':') {
        count = 0;
        for (++at_; at_ < text_.size() && digit(text_[at_]) && count < 100000; ++at_)
          count = count * 10 + static_cast<std::uint32_t>(text_[at_] - '0');
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        SsaValue value;
        value.name = name;
        value.operation = index;
        value.result = static_cast<Id>(module_.values.size()) - module_.operations[index].first_result;
        module_.values.push_back(value);
      }
      if (count > 0) made_.emplace_back(name, static_cast<Id>(module_.values.size()) - count);
      while (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ' ')) ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '=') {
      for (++at_; at_ < text_.size() && text_[at_] == ' '; ++at_) {
      }
      return true;
    }
    fail(begin, "values without '=' and an operation");
    return false;
  }

  bool operation_name(Operation& operation) {
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!skip_string()) return false;
      operation.name = text_.substr(begin + 1, at_ - begin - 2);
      return true;
    }
    while (at_ < text_.size() && name_character(text_[at_])) ++at_;
    operation.name = text_.substr(begin, at_ - begin);
    if (!operation.name.empty()) return true;
    fail(begin, "an operation's name is missing");
    return false;
  }

  /// The rest of an operation: to its end, or to the region that it opens.
  void body() {
    while (true) {
      while (at_ < text_.size() && !special[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ >= text_.size()) break;
      const char c = text_[at_];
      if (c == '%') {
        value_use();
      } else if (c == '"') {
        if (!skip_string()) return;
      } else if (c == '\n') {
        if (brackets_.empty()) break;
        ++line_;
        ++at_;
      } else if (c == '/') {
        at_ = text_.substr(at_, 2) == "//" ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
      } else if (c == '{' && begins_region()) {
        open_region();
        return;
      } else if (c == '}' && brackets_.empty()) {  // "{ op }" on one line: the region's end
        break;
      } else if (!bracket(c)) {
        return;
      }
    }
    if (!brackets_.empty())
      fail(brackets_.back().at, fmt::format("'{}' is not closed", brackets_.back().open));
    else
      end_header(at_);
  }

  /// False: the text is wrong here.
  bool bracket(char c) {
    if (c == '(' && brackets_.empty() && at_ >= 4 && text_.substr(at_ - 4, 4) == " loc")
      return own_location();
    if (c == '(' || c == '[' || c == '<' || c == '{') {
      brackets_.push_back({c, at_});
      ++at_;
      return true;
    }
    const bool arrow = c == '>' && (text_[at_ - 1] == '-' || text_.substr(at_ + 1, 1) == "=");
    if (!arrow) return close_bracket();
    ++at_;
    return true;
  }

  bool begins_region() const {
    std::size_t next = at_ + 1;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\r')) ++next;
    return next < text_.size() && text_[next] == '\n';
  }

  void open_region() {
    end_header(at_);
    ++at_;
    open_.push_back({current_, brackets_.size()});
    saved_.insert(saved_.end(), brackets_.begin(), brackets_.end());
    brackets_.clear();
    scope_.enter();
    for (const auto& [name, value] : arguments_) scope_.define(name, value);
  }

  void close_region() {
    ++at_;
    const Open open = open_.back();
    open_.pop_back();
    scope_.leave();
    current_ = open.operation;
    brackets_.assign(saved_.end() - static_cast<std::ptrdiff_t>(open.brackets), saved_.end());
    saved_.resize(saved_.size() - open.brackets);
    module_.operations[current_].end = static_cast<Id>(module_.operations.size());
    in_header_ = false;
    arguments_.clear();
    trailer_begin_ = at_;
    body();
  }

  void end_header(std::size_t end) {
    if (!in_header_) return;
    Operation& operation = module_.operations[current_];
    while (end > header_begin_ && (text_[end - 1] == ' ' || text_[end - 1] == '\r')) --end;
    operation.header = text_.substr(header_begin_, end - header_begin_);
    operation.operands = static_cast<Id>(module_.operands.size()) - operation.first_operand;
    in_header_ = false;
    publish();
  }

  /// Results can be used from here on, by operations inside the region too: loops refer to none of their own.
  void publish() {
    for (const auto& [name, value] : made_) scope_.define(name, value);
    made_.clear();
  }

  bool own_location() {
    if (!in_header_)
      module_.operations[current_].trailer = text_.substr(trailer_begin_, at_ - 4 - trailer_begin_);
    end_header(at_ - 4);
    const std::size_t begin = at_ + 1;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) return false;
        --at_;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        module_.operations[current_].location = module_.locations.parse(text_.substr(begin, at_ - begin));
        ++at_;
        return true;
      } else if (c == '\n') {
        break;
      }
    }
    fail(begin - 1, "a location is not closed");
    return false;
  }

  bool close_bracket() {
    if (brackets_.empty()) {
      fail(at_, fmt::format("'{}' closes nothing", text_[at_]));
      return false;
    }
    if (closing(brackets_.back().open) != text_[at_]) {
      fail(at_, fmt::format("'{}' does not close '{}'", text_[at_], brackets_.back().open));
      return false;
    }
    brackets_.pop_back();
    ++at_;
    return true;
  }

  /// A value in an operation's header: a use, or an argument of its region ("%i = %zero", "%arg0: type").
  void value_use() {
    const std::string_view name = value_name();
    std::uint32_t result = 0;
    if (at_ < text_.size() && text_[at_] == '#')
      for (++at_; at_ < text_.size() && digit(text_[at_]) && result < 1000000; ++at_)
        result = result * 10 + static_cast<std::uint32_t>(text_[at_] - '0');
    if (!in_header_) return;
    if (at_ < text_.size() && text_[at_] == ':' && !brackets_.empty()) {
      const Id value = argument(name, current_);
      module_.values[value].type = argument_type();
      arguments_.emplace_back(name, value);
      return;
    }
    if (text_.substr(at_, 3) == " = ") {
      arguments_.emplace_back(name, argument(name, current_));
      waiting_ = arguments_.back().second;
      return;
    }
    Id value = scope_.find(name);
    if (value != none && !same_pack(value, result)) value = none;
    if (value != none) value += result;
    if (waiting_ != none) module_.values[waiting_].initial = value;
    waiting_ = none;
    module_.operands.push_back(value);
  }

  bool same_pack(Id value, std::uint32_t result) const {
    return result == 0 || (value + result < module_.values.size() &&
                           module_.values[value + result].operation == module_.values[value].operation);
  }

  Id argument(std::string_view name, Id operation) {
    SsaValue value;
    value.name = name;
    value.operation = operation;
    value.argument = true;
    module_.values.push_back(value);
    return static_cast<Id>(module_.values.size() - 1);
  }

  struct Bracket {
    char open;
    std::size_t at;
  };

  Module module_;
  std::vector<Open> open_;
  std::vector<Bracket> brackets_;  ///< open in the operation at hand
  std::vector<Bracket> saved_;     ///< those of operations further out, "({"
  Scope scope_;
  Id current_ = none;
  std::size_t header_begin_ = 0, trailer_begin_ = 0;
  bool in_header_ = false;
  std::vector<std::pair<std::string_view, Id>> made_;       ///< results that are not yet visible
  std::vector<std::pair<std::string_view, Id>> arguments_;  ///< of the region that comes next
  Id waiting_ = none;                                       ///< an argument whose first value comes next
};

}  // namespace

Result<Module> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace cutelab::compiled::ir
