#pragma once
#include <string>

#include "reading/facts/context.h"

namespace cutelab::reading {

/// What a formula for the stages of a main loop takes off the shared memory before it divides by the bytes of
/// a stage: who reserves, and whether the epilogue's buffers count. Examples differ in this, and so do the
/// stages that the same tile gets. "" = no such formula.
std::string stage_formula_form(FactContext& context, source::Node value);

}  // namespace cutelab::reading
