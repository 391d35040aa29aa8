#pragma once
// Role timeline: what each warp role of a kernel does when, stamped by the kernel itself.
//
//   enum Stamp : unsigned { free_stage, issue };                    // in the order of the names below
//   {
//     const cutelab::role_timeline::Track track(loader, threadIdx.x == 0);   // one thread of a role stamps
//     { const auto span = track.span(free_stage); Empty::wait(…); }          // ends with its scope
//   }
//   CUTELAB_STAMPED_ROLES("role loader\nrole consumer\nwait for a free stage\nwork issue copies")
//
// Names, one a line: `role NAME` for each role, then `work NAME` or `wait NAME` for each stamp. Time that no
// `work` span covers is a bubble of its role. A span may lie inside another one, a wait inside work: the
// inner one counts there. Each record costs its role some hundred cycles, so stamp work per tile and only
// waits within it; what lasts fewer than `least_cycles` leaves no record.
//
// Off unless CUTELAB_ROLE_TIMELINE is defined: everything here is then empty, and the kernel's machine code
// is the one it has without any of it. `cutelab kernel … --prof_type=timeline` compiles with it and says what
// stamping cost.
#ifdef CUTELAB_ROLE_TIMELINE
#include <cuda_runtime.h>

namespace cutelab::role_timeline {

/// Head of a track in the buffer; `capacity` records follow. 64 bytes; src/profile/role_timeline.h reads it.
struct Head {
  unsigned long long begin_ns, end_ns;        // of the device's common timer, which ticks coarsely
  unsigned long long begin_clock, end_clock;  // of the SM's own cycles
  unsigned sm;
  unsigned stamped;  // spans, also those that no longer fitted
  unsigned reserved[6];
};
struct Record {
  unsigned long long begin;  // cycles of the SM
  unsigned cycles;
  unsigned name;
};
struct Buffer {
  char* base = nullptr;  // tracks of CTA 0, CTA 1, …, those of a CTA in the order of the roles; zeroed
  unsigned roles = 0;
  unsigned capacity = 0;  // records of a track
  unsigned ctas = 0;
};
static __device__ Buffer buffer;
constexpr unsigned least_cycles = 40;  // about what a barrier that is already complete takes

__device__ inline unsigned long long cycles_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now));
  return now;
}
__device__ inline unsigned long long ns_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

class Track;

class Span {
 public:
  __device__ Span(Track& track, unsigned name) : track_(track), name_(name), begin_(cycles_now()) {}
  __device__ inline ~Span();

 private:
  Track& track_;
  unsigned name_;
  unsigned long long begin_;
};

class Track {
 public:
  __device__ Track(unsigned role, bool stamps) {
    const unsigned cta = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (!stamps || !buffer.base || cta >= buffer.ctas || role >= buffer.roles) return;
    const unsigned long long bytes = sizeof(Head) + buffer.capacity * sizeof(Record);
    head_ = reinterpret_cast<Head*>(buffer.base +
                                    (static_cast<unsigned long long>(cta) * buffer.roles + role) * bytes);
    capacity_ = buffer.capacity;
    asm("mov.u32 %0, %%smid;" : "=r"(head_->sm));
    head_->begin_ns = ns_now();
    head_->begin_clock = cycles_now();
  }
  __device__ ~Track() {
    if (!head_) return;
    head_->end_clock = cycles_now();
    head_->end_ns = ns_now();
    head_->stamped = stamped_;
  }
  Track(const Track&) = delete;

  __device__ Span span(unsigned name) const { return {const_cast<Track&>(*this), name}; }
  __device__ void stamp(unsigned name, unsigned long long begin) {
    const unsigned long long end = cycles_now();
    const auto cycles = static_cast<unsigned>(end - begin);
    if (!head_ || cycles < least_cycles) return;
    if (stamped_ < capacity_) {
      auto* record = reinterpret_cast<uint4*>(reinterpret_cast<Record*>(head_ + 1) + stamped_);
      *record = {static_cast<unsigned>(begin), static_cast<unsigned>(begin >> 32), cycles, name};
    }
    ++stamped_;
  }

 private:
  Head* head_ = nullptr;
  unsigned capacity_ = 0;
  unsigned stamped_ = 0;
};

__device__ inline Span::~Span() { track_.stamp(name_, begin_); }

}  // namespace cutelab::role_timeline

/// The host's doors: the names, and where later launches stamp (base 0: nowhere).
#define CUTELAB_STAMPED_ROLES(names)                                                                     \
  extern "C" const char* cutelab_timeline_names() { return names; }                                      \
  extern "C" int cutelab_timeline_attach(void* base, unsigned roles, unsigned capacity, unsigned ctas) { \
    cutelab::role_timeline::Buffer at;                                                                   \
    at.base = static_cast<char*>(base);                                                                  \
    at.roles = roles;                                                                                    \
    at.capacity = capacity;                                                                              \
    at.ctas = ctas;                                                                                      \
    return cudaMemcpyToSymbol(cutelab::role_timeline::buffer, &at, sizeof at);                           \
  }
#else
namespace cutelab::role_timeline {

struct Span {
  __device__ ~Span() {}
};
struct Track {
  __device__ Track(unsigned, bool) {}
  __device__ ~Track() {}
  Track(const Track&) = delete;
  __device__ Span span(unsigned) const { return {}; }
};

}  // namespace cutelab::role_timeline

#define CUTELAB_STAMPED_ROLES(names) static_assert(sizeof(names) > 1, "roles and stamps have names");
#endif
