#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "evidence/reading.h"

namespace cutelab::report {

/// The first of the named values that a fact has; nullptr = none.
const evidence::Value* value_of(const evidence::Fact& fact, std::initializer_list<const char*> names);
std::string text_of(const evidence::Fact& fact, std::initializer_list<const char*> names);
bool is_active(const evidence::Fact& fact);  ///< not left out by the defaults

void add_once(std::vector<std::string>& names, const std::string& name);
/// A list of names or a single one.
void add_names(std::vector<std::string>& names, const evidence::Value* value);

/// The name without what only says what kind of thing it names: "self.load_warp_id", "load_producer" ->
/// "load".
std::string stem(std::string name);
bool is_warp_name(const std::string& name);

/// "load of a, CopyBulkTensorTileG2SOp": the values that say what an operation is, else its sentence.
std::string operation_text(const evidence::Fact& fact);
/// "id 1, 128 threads", else the fact's sentence.
std::string barrier_text(const evidence::Fact& fact);

}  // namespace cutelab::report
