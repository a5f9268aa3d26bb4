#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/resident_ctas.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Translates SystemC time (one resolution step = one clock cycle) into cycles since the launch of
/// the current kernel.
class LaunchClock {
 public:
  /// Makes the current SystemC time cycle 0.
  void restart() { origin_ = sc_core::sc_time_stamp().value(); }
  /// Makes now() `length` later without letting time pass: SystemC's pending notifications keep
  /// their distance from now.
  void skip(Cycles length) { origin_ -= static_cast<sc_dt::uint64>(length.count()); }
  [[nodiscard]] Cycle now() const {
    return Cycle(static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - origin_));
  }

 private:
  sc_dt::uint64 origin_ = 0;
};

/// A length of time as SystemC counts it.
[[nodiscard]] inline sc_core::sc_time sc_time_of(Cycles length) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(length.count()));
}

/// Knowledge of a launch that a machine's modules share besides their messages.
struct SharedState {
  explicit SharedState(std::int64_t sms) : sets(sms), groups(sets) {}

  LaunchClock clock;
  SmSets sets;
  /// Who is simulated for whom.
  SmGroups groups;
  ResidentCtas resident;
  /// CTAs that SMs may still be given.
  std::int64_t ctas_left = 0;
};

}  // namespace stcsim
