#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <utility>

#include "common/error.hpp"
#include "models/base/time.hpp"
#include "models/base/wakeable.hpp"

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

/// The SystemC shell of a unit: one SC_METHOD, one event, no clock. The core inside is plain C++.
template <ClocklessCore Core>
class ClocklessModule : public sc_core::sc_module, public Wakeable {
 public:
  template <class... Arguments>
  ClocklessModule(const sc_core::sc_module_name& name, const LaunchClock& clock,
                  Arguments&&... arguments)
      : sc_module(name), core(std::forward<Arguments>(arguments)...), clock_(clock) {
    SC_HAS_PROCESS(ClocklessModule);
    SC_METHOD(run);
    sensitive << due_;
    dont_initialize();
  }

  /// Arms the module for `at`, which must lie after the current cycle. The earliest of several
  /// calls counts; run() then asks the core anew.
  void wake(Cycle at) override {
    if (armed_ && *armed_ <= at) return;
    const Cycle now = clock_.now();
    if (at <= now) throw SimulationError(std::string(name()) + ": woken without delay");
    armed_ = at;
    due_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>((at - now).count())));
  }

  /// Moves along with LaunchClock::skip.
  void skip(Cycles length) {
    if (armed_) *armed_ += length;
  }

  /// Gives up what was armed.
  void disarm() {
    due_.cancel();
    armed_.reset();
  }
  [[nodiscard]] std::int64_t activations() const { return activations_; }

  Core core;

 private:
  void run() {
    armed_.reset();
    ++activations_;
    if (const std::optional<Cycle> next = core.advance(clock_.now())) wake(*next);
  }

  const LaunchClock& clock_;
  sc_core::sc_event due_;
  std::optional<Cycle> armed_;
  std::int64_t activations_ = 0;
};

}  // namespace stcsim
