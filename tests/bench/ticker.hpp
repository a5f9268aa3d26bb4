#pragma once

#include <cstdint>
#include <systemc>

namespace stcsim::bench {

/// Wakes itself after every cycle: what the bare SystemC kernel takes for one timed notification.
class Ticker : public sc_core::sc_module {
 public:
  explicit Ticker(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Ticker);
    SC_METHOD(tick);
    sensitive << due_;
    dont_initialize();
  }
  void run(std::int64_t ticks) {
    left_ = ticks;
    due_.notify(kStep);
    sc_core::sc_start();
  }

 private:
  void tick() {
    if (--left_ > 0) due_.notify(kStep);
  }

  const sc_core::sc_time kStep = sc_core::sc_time::from_value(1);
  sc_core::sc_event due_;
  std::int64_t left_ = 0;
};

}  // namespace stcsim::bench
