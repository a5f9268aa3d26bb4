#pragma once

#include <algorithm>
#include <cstdint>

#include "common/config_field.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Per SM: asynchronous copies from global to shared memory (cp.async, TMA).
struct CopyEngineConfig {
  /// Bytes of requests generated per clk, by accesses of 16 bytes; narrower ones get as much less.
  std::int64_t issue_bytes_per_clk = 128;
  /// The same where rows are not aligned to 16 bytes, which an engine that copies boxes (TMA)
  /// cannot load: threads do. 0: as `issue_bytes_per_clk`.
  std::int64_t thread_bytes_per_clk = 0;

  /// As many accesses of the widest kind as `launch` makes in a clk, times their width.
  [[nodiscard]] std::int64_t bytes_per_clk(const KernelLaunch& launch) const {
    return thread_bytes_per_clk > 0 && launch.loads_narrowly() ? thread_bytes_per_clk
                                                               : issue_bytes_per_clk;
  }
  /// Cycles that requests of so many bytes take (KernelLaunch::issued_bytes).
  [[nodiscard]] Cycles issue_cycles(std::int64_t bytes, const KernelLaunch& launch) const {
    return std::max(cycles_for(bytes, bytes_per_clk(launch)), kOneCycle);
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::bytes_per_clk("issue_bytes_per_clk",
                             "requests from global to shared memory generated per clk, by "
                             "accesses of 16 bytes; rows whose alignment allows only "
                             "narrower ones get as much less")
            .optional(),
        self.issue_bytes_per_clk);
    visitor.field(field::bytes_per_clk("thread_bytes_per_clk",
                                       "the same of rows not aligned to 16 bytes, where threads "
                                       "load in place of an engine (TMA); 0 = "
                                       "`issue_bytes_per_clk`")
                      .from(0, field::kMostBytesPerClk)
                      .more_is(Effect::either)
                      .omitted(""),
                  self.thread_bytes_per_clk, 0);
  }

  friend bool operator==(const CopyEngineConfig&, const CopyEngineConfig&) = default;
};

}  // namespace stcsim
