#pragma once

#include <cstdint>
#include <vector>

#include "common/config_field.hpp"
#include "common/data_type.hpp"

namespace stcsim {

/// Energy of one multiply-accumulate of a data type.
struct MacEnergy {
  DataType dtype = DataType::fp16;
  /// Picojoules, at the machine's `clock_mhz` and with random operands.
  double pj = 0;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::type("dtype", "of A and B", operand_data_types()), self.dtype);
    visitor.field(field::of("pj", "pJ, a number",
                            "a multiply-accumulate, at the machine's clock, of random operands")
                      .from(0, 1'000'000)
                      .more_is(Effect::slower),
                  self.pj);
  }
  friend bool operator==(const MacEnergy&, const MacEnergy&) = default;
};

/// What the board may draw, and what draws it: the clock that it sustains follows. Energies are
/// those at the machine's `clock_mhz`; at a lower clock the voltage is lower (see voltage_at).
struct PowerConfig {
  /// 0: nothing limits the clock.
  double limit_watts = 0;
  /// Of that limit, what it may draw until a load has lasted `excursion_ms`: a slow limiter keeps
  /// the mean of a longer time to `limit_watts`, a fast one keeps to this.
  double excursion_share = 1;
  double excursion_ms = 0;
  /// What it may draw above both, once, after a pause: its supply's and its heat sink's inertia.
  double burst_joules = 0;
  /// Of `limit_watts`, what one launch among others may draw once it has lasted `surge_us`, however
  /// little the board draws in the mean: its regulator lowers the clock. 0: whatever it needs.
  double surge_share = 0;
  double surge_us = 0;
  /// Leakage, fans, memory that nobody uses.
  double idle_watts = 0;
  std::vector<MacEnergy> mac_energy;
  /// Of a byte through the port of shared memory. DRAM has a voltage and a clock of its own.
  double shared_memory_pj_per_byte = 0;
  double dram_pj_per_byte = 0;
  /// Share of the voltage that a clock of 0 would leave: it falls linearly towards it.
  double voltage_floor = 1;
  /// Clocks come in such steps.
  double clock_step_mhz = 15;
  /// Share of a MAC's energy where operands are all zeros: what the clock and the control take.
  double zero_operand_share = 1;
  /// What feeds the multipliers. `mac_energy` contains as much of it as a 2:4 GEMM of large tiles
  /// needs; what patterns that no energy was measured with need beyond that is added
  /// (board_energy()). Of a byte of A, B or metadata from registers, of one of accumulators read or
  /// written, of metadata filled into its buffer, of a 2-input multiplexer of one bit in the
  /// operand selector, and of a byte from or to the L2 cache, bus included.
  double register_pj_per_byte = 0;
  double accumulator_pj_per_byte = 0;
  double metadata_pj_per_byte = 0;
  double selector_mux_pj = 0;
  double l2_pj_per_byte = 0;
  /// Of a byte from or to the L2 cache that no matrix instruction asked for: the way, the registers
  /// and what vector units do with it.
  double vector_pj_per_byte = 0;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMostWatts = 1'000'000;
    visitor.field(
        field::of("limit_watts", "W, a number", "what the board may draw; 0 = whatever it needs")
            .from(0, kMostWatts)
            .more_is(Effect::faster),
        self.limit_watts);
    visitor.field(field::of("burst_joules", "J, a number",
                            "what it may draw above its limits, once, when a load begins: short "
                            "loads run at a higher clock")
                      .from(0, kMostWatts)
                      .more_is(Effect::faster)
                      .omitted(""),
                  self.burst_joules, 0.0);
    visit_excursion(self, visitor);
    visit_surge(self, visitor);
    visitor.field(field::of("idle_watts", "W, a number", "what it draws when nothing happens")
                      .from(0, kMostWatts)
                      .more_is(Effect::slower),
                  self.idle_watts);
    visit_energies(self, visitor);
  }

  [[nodiscard]] double mac_pj(DataType dtype) const {
    for (const MacEnergy& one : mac_energy) {
      if (one.dtype == dtype) return one.pj;
    }
    return 0;
  }

  friend bool operator==(const PowerConfig&, const PowerConfig&) = default;

 private:
  static void visit_excursion(auto& self, auto& visitor) {
    constexpr std::int64_t kLongestMs = 1'000'000;
    visitor.field(field::of("excursion_share", "times, a number",
                            "of `limit_watts`, what a load may draw until it has lasted "
                            "`excursion_ms`: the board's fast limiter; `limit_watts` is its slow "
                            "one's")
                      .from(1, 10)
                      .more_is(Effect::faster)
                      .omitted(""),
                  self.excursion_share, 1.0);
    visitor.field(field::of("excursion_ms", "ms, a number", "after which the slow limiter holds")
                      .from(0, kLongestMs)
                      .more_is(Effect::faster)
                      .omitted(""),
                  self.excursion_ms, 0.0);
  }
  static void visit_surge(auto& self, auto& visitor) {
    constexpr std::int64_t kLongestUs = 1'000'000;
    visitor.field(field::of("surge_share", "times, a number",
                            "of `limit_watts`, what a launch of a training step may draw once it "
                            "has lasted `surge_us`; 0 = whatever it needs")
                      .from(0, 10)
                      .more_is(Effect::faster)
                      .omitted(""),
                  self.surge_share, 0.0);
    visitor.field(field::of("surge_us", "us, a number", "after which `surge_share` holds")
                      .from(0, kLongestUs)
                      .more_is(Effect::faster)
                      .omitted(""),
                  self.surge_us, 0.0);
  }
  static void visit_energies(auto& self, auto& visitor) {
    constexpr std::int64_t kMostPicojoules = 1'000'000;
    const auto picojoules = [](std::string_view key, std::string_view help) {
      return field::of(key, "pJ/byte, a number", help)
          .from(0, kMostPicojoules)
          .more_is(Effect::slower);
    };
    visitor.field(field::list("mac_energy", "one entry for each data type"), self.mac_energy);
    visitor.field(picojoules("shared_memory_pj_per_byte", "through the port of shared memory"),
                  self.shared_memory_pj_per_byte);
    visitor.field(picojoules("dram_pj_per_byte", "from or to DRAM"), self.dram_pj_per_byte);
    visitor.field(field::of("voltage_floor", "share, a number",
                            "of the voltage at `clock_mhz`, towards which it falls linearly with "
                            "the clock; energies go with its square")
                      .from(0, 1)
                      .more_is(Effect::slower),
                  self.voltage_floor);
    visitor.field(field::of("clock_step_mhz", "MHz, a number", "clocks are multiples of it")
                      .from(1, 10'000)
                      .more_is(Effect::slower)
                      .optional(),
                  self.clock_step_mhz);
    visitor.field(field::of("zero_operand_share", "share, a number",
                            "of a multiply-accumulate's energy where all operands are zeros")
                      .from(0, 1)
                      .more_is(Effect::slower)
                      .optional(),
                  self.zero_operand_share);
    visit_feeds(self, visitor);
  }
  static void visit_feeds(auto& self, auto& visitor) {
    constexpr std::int64_t kMostPicojoules = 1'000'000;
    const auto feeds = [](std::string_view key, std::string_view unit, std::string_view help) {
      return field::of(key, unit, help)
          .from(0, kMostPicojoules)
          .more_is(Effect::slower)
          .omitted("");
    };
    visitor.field(feeds("register_pj_per_byte", "pJ/byte, a number",
                        "A, B and metadata from registers. This and what follows feeds the "
                        "multipliers: `mac_energy` contains as much as 2:4 GEMMs of large tiles "
                        "need, what wider patterns need beyond that is added"),
                  self.register_pj_per_byte, 0.0);
    visitor.field(
        feeds("accumulator_pj_per_byte", "pJ/byte, a number", "accumulators, read or written"),
        self.accumulator_pj_per_byte, 0.0);
    visitor.field(feeds("metadata_pj_per_byte", "pJ/byte, a number", "metadata into their buffer"),
                  self.metadata_pj_per_byte, 0.0);
    visitor.field(feeds("selector_mux_pj", "pJ, a number",
                        "a 2-input multiplexer of one bit in the operand selector, each time a "
                        "value passes"),
                  self.selector_mux_pj, 0.0);
    visitor.field(
        feeds("l2_pj_per_byte", "pJ/byte, a number", "from or to the L2 cache, bus included"),
        self.l2_pj_per_byte, 0.0);
    visitor.field(feeds("vector_pj_per_byte", "pJ/byte, a number",
                        "from the L2 cache through vector units, or to it, in kernels without "
                        "matrix instructions"),
                  self.vector_pj_per_byte, 0.0);
  }
};

}  // namespace stcsim
