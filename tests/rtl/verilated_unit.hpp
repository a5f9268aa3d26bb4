#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/clocked_beats.hpp"

namespace stcsim::test {

/// A verilated module between valid and ready, with a clock, as a unit of the core.
template <class Circuit>
class VerilatedUnit final : public ClockedUnit {
 public:
  explicit VerilatedUnit(std::int64_t depth) : depth_(depth) { VerilatedUnit::reset(); }

  [[nodiscard]] Cycles depth() const override { return depth_; }
  void reset() override {
    circuit.rst = 1;
    clock(false, false);
    circuit.rst = 0;
  }
  [[nodiscard]] bool valid() override {
    circuit.eval();
    return circuit.out_valid != 0;
  }
  [[nodiscard]] bool ready(bool next_is_ready) override {
    circuit.out_ready = next_is_ready;
    circuit.eval();
    return circuit.in_ready != 0;
  }
  void clock(bool takes, bool next_is_ready) override {
    circuit.in_valid = takes;
    circuit.out_ready = next_is_ready;
    for (const bool level : {false, true}) {
      circuit.clk = level;
      circuit.eval();
    }
  }

  Circuit circuit;

 private:
  Cycles depth_;
};

/// Writes down what happens at a unit's two sides, clock by clock.
class RecordedUnit final : public ClockedUnit {
 public:
  /// Valid, ready, and whether a beat comes in and the next unit is ready.
  using Clock = std::array<bool, 4>;

  /// @param unit  outlives it
  explicit RecordedUnit(ClockedUnit& unit) : unit_(&unit) {}
  [[nodiscard]] Cycles depth() const override { return unit_->depth(); }
  void reset() override { unit_->reset(); }
  [[nodiscard]] bool valid() override { return unit_->valid(); }
  [[nodiscard]] bool ready(bool next_is_ready) override { return unit_->ready(next_is_ready); }
  void clock(bool takes, bool next_is_ready) override {
    clocks_.push_back({unit_->valid(), unit_->ready(next_is_ready), takes, next_is_ready});
    unit_->clock(takes, next_is_ready);
  }
  [[nodiscard]] const std::vector<Clock>& clocks() const { return clocks_; }

 private:
  ClockedUnit* unit_;
  std::vector<Clock> clocks_;
};

}  // namespace stcsim::test
