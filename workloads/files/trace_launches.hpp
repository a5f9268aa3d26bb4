#pragma once

#include <cstdint>
#include <unordered_map>

#include "workloads/files/trace_events.hpp"

namespace stcsim {

/// Finds the operators that launched kernels.
class TraceLaunches {
 public:
  explicit TraceLaunches(const TraceEvents& events);

  /// The innermost operator in whose time, on its thread, the call with the kernel's correlation
  /// lies; without such a call the one that its "External id" names. Below 0: there is none.
  /// PyTorch 1.12 to 2.0 wrote the correlation as the "External id".
  [[nodiscard]] int operator_of(const TraceKernel& kernel) const;

 private:
  [[nodiscard]] int innermost(std::int64_t thread, double time) const;
  [[nodiscard]] int named(std::int64_t id) const;

  const TraceEvents& events_;
  std::unordered_map<std::int64_t, int> by_id_;
};

}  // namespace stcsim
