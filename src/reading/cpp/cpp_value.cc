#include "reading/cpp/cpp_value.h"

namespace cutelab::reading {

CppValue::CppValue() = default;
CppValue::CppValue(const CppValue&) = default;
CppValue::CppValue(CppValue&&) noexcept = default;
CppValue& CppValue::operator=(const CppValue&) = default;
CppValue& CppValue::operator=(CppValue&&) noexcept = default;
CppValue::~CppValue() = default;

}  // namespace cutelab::reading
