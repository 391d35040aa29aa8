#pragma once
#include <string>
#include <vector>

#include "layout/banks.h"

namespace cutelab::report {

/// Sample:
///
///   shared memory: load of 16 bytes per thread, threads 32:1
///     8-way conflict: 32 wavefronts instead of 4
///     threads  0-7    8 wavefronts, busiest bank 0
///     …
///   as global memory: 32 sectors of 32 bytes instead of 16, 32 cache lines
std::string banks_text(const layout::WarpAccess& access, const std::string& threads);
/// {"kind":"load","bytes":16,"addresses":[…],"wavefronts":32,"ideal":4,"conflicts":28,…}
std::string banks_json(const layout::WarpAccess& access);
const char* name_of(layout::AccessKind kind);

}  // namespace cutelab::report
