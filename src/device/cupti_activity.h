#pragma once
#include <functional>
#include <vector>

#include "base/result.h"
#include "device/cupti_api.h"
#include "device/timeline.h"

namespace cutelab::device {

/// CUPTI's activity functions; results are CUptiResult, 0 = success.
struct CuptiActivityApi {
  using Request = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
  using Complete = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                            std::size_t used);
  int (*version)(std::uint32_t*) = nullptr;
  int (*enable)(int kind) = nullptr;
  int (*disable)(int kind) = nullptr;
  int (*register_callbacks)(Request, Complete) = nullptr;
  int (*flush)(std::uint32_t) = nullptr;
  int (*next_record)(std::uint8_t* buffer, std::size_t used, std::uint8_t** record) = nullptr;
  int (*callback_name)(int domain, std::uint32_t id, const char** name) = nullptr;
  int (*result_text)(int, const char**) = nullptr;
  Status checked(int code, const char* asked) const;
};

/// Errors (kind unavailable): the library is missing, too old, or of a major version whose records we do not
/// know.
Result<CuptiActivityApi> load_cupti_activity(const SharedLibrary& library);

/// What the GPU and the driver did while `work` ran, in the order of their beginnings. `work` waits for what
/// it launched. Errors: CUPTI's, the work's.
Result<std::vector<Span>> trace_activity(const CuptiActivityApi& api, const std::function<Status()>& work);

/// The spans of one buffer of records; records of other kinds are passed over.
std::vector<Span> spans_of(const CuptiActivityApi& api, std::uint8_t* buffer, std::size_t used);

}  // namespace cutelab::device
