#pragma once
#include <string>
#include <string_view>

#include "reading/facts/context.h"

namespace cutelab::reading {

/// `is_dma_warp_group`, `is_producer`: a flag that tells roles apart.
bool is_role_flag(std::string_view text);
bool is_leader(std::string_view text);  ///< of a pair or cluster of CTAs
/// Whether a condition asks which warp or warpgroup runs, itself or through a name for such a test.
bool mentions_index(const FactContext& context, source::Node condition);

/// The name of a role by the constant that its condition singles out (`warp_idx == self.mma_warp_id`: "mma");
/// "" when it singles out none.
/// "load" of self.load_warp_id, "mma" of is_mma_thr; "" when the rest is no name.
std::string role_of_constant(const std::string& constant);
std::string constant_name(const FactContext& context, source::Node condition);
/// The name of a role's branch before its work is known: its constant, else the first name of the test, else
/// the test itself.
std::string role_name(const FactContext& context, source::Node condition);

/// Whether a block only prefetches descriptors or initialises barriers: no role's work.
bool only_prepares(source::Node block);
/// Whether a branch is the only one of its function that works apart, and all threads of the CTA meet behind
/// it and store the output together: its warps rejoin the others.
bool alone_and_rejoins(const FactContext& context, const RoleBlock& role);

/// `if is_first:` of a kernel with `is_first: Constexpr`: what each launch passes makes another kernel of it.
bool constant_of_kernel(const FactContext& context, source::Node condition);
/// const_expr(…) alone, or what `and`, `or` and `not` make of such: a condition with nothing else in it.
bool is_constant(source::Node condition);

/// Whether a test before an `elif` is known to hold, so that nothing comes to it.
bool is_behind_taken(FactContext& context, source::Node clause);

}  // namespace cutelab::reading
