#include "source/kinds.h"

#include <unordered_map>

namespace cutelab::source {

Kind kind_named(std::string_view name) {
  static const std::unordered_map<std::string_view, Kind> kinds = {{"ERROR", Kind::error},
                                                                   {"true", Kind::true_literal},
                                                                   {"false", Kind::false_literal},
                                                                   {"float", Kind::float_literal},
#define CUTELAB_ONE(name) {#name, Kind::name},
                                                                   CUTELAB_SOURCE_KINDS(CUTELAB_ONE)
#undef CUTELAB_ONE
  };
  const auto found = kinds.find(name);
  return found == kinds.end() ? Kind::other : found->second;
}

Field field_named(std::string_view name) {
  static const std::unordered_map<std::string_view, Field> fields = {{"operator", Field::operator_token},
#define CUTELAB_ONE(name) {#name, Field::name##_field},
                                                                     CUTELAB_SOURCE_FIELDS(CUTELAB_ONE)
#undef CUTELAB_ONE
  };
  const auto found = fields.find(name);
  return found == fields.end() ? Field::no_field : found->second;
}

}  // namespace cutelab::source
