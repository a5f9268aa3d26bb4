#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// Something that was counted. Its name is its own in the whole machine: outputs call it so.
struct Counter {
  std::string name;  // e.g. "dram_read_bytes"
  std::string unit;  // of measurement: "byte", "instruction", ...
  std::int64_t value = 0;

  friend bool operator==(const Counter&, const Counter&) = default;
};

/// The value of the counter of that name. Throws SimulationError if there is none.
[[nodiscard]] std::int64_t count_of(const std::vector<Counter>& counters, std::string_view name);

/// All instances of one kind of unit, summed. Buckets, if there are any, sum to instances * cycles.
struct UnitTotals {
  std::string unit;
  std::int64_t instances = 0;
  std::vector<std::pair<std::string, Cycles>> buckets;
  std::vector<Counter> counters;

  friend bool operator==(const UnitTotals&, const UnitTotals&) = default;
};

/// Statistics that a core's visit_statistics() tells about itself, summed by kind of unit:
///
///   template <class Visitor> void visit_statistics(Visitor& visitor, Cycle end) const {
///     visitor.bucket("busy", busy_);                            // every cycle is in one bucket
///     visitor.count("dram_read_bytes", "byte", read_bytes_);    // name, unit, value
///   }
class StatisticsSum {
 public:
  /// Begins one more instance of that kind.
  void unit(std::string_view kind) {
    if (!is_unit(at_work_, kind) && !is_unit(++at_work_, kind)) find_unit(kind);
    ++totals_[at_work_].instances;
    next_bucket_ = next_counter_ = 0;
  }
  void bucket(std::string_view name, Cycles cycles) {
    if (!is_text(texts_[at_work_].buckets, next_bucket_, name)) find_bucket(name);
    totals_[at_work_].buckets[next_bucket_++].second += cycles;
  }
  void count(std::string_view name, std::string_view unit, std::int64_t value) {
    if (!is_text(texts_[at_work_].counters, next_counter_, name)) find_counter(name, unit);
    totals_[at_work_].counters[next_counter_++].value += value;
  }

  /// In the order in which kinds first had something to tell.
  [[nodiscard]] const std::vector<UnitTotals>& totals() const { return totals_; }

 private:
  /// The texts that the names of a kind's buckets and counters came from: instances tell the same
  /// texts, so most names need not be compared.
  struct Texts {
    const char* unit;
    std::vector<const char*> buckets;
    std::vector<const char*> counters;
  };

  [[nodiscard]] bool is_unit(std::size_t at, std::string_view kind) const {
    return at < texts_.size() && texts_[at].unit == kind.data();
  }
  [[nodiscard]] static bool is_text(const std::vector<const char*>& texts, std::size_t at,
                                    std::string_view name) {
    return at < texts.size() && texts[at] == name.data();
  }
  // Goes on with this name, known or new.
  void find_unit(std::string_view kind);
  void find_bucket(std::string_view name);
  void find_counter(std::string_view name, std::string_view unit);

  std::vector<UnitTotals> totals_;
  std::vector<Texts> texts_;  // of each
  std::size_t at_work_ = 0;
  // Instances tell the same in the same order.
  std::size_t next_bucket_ = 0;
  std::size_t next_counter_ = 0;
};

/// A launch of which only a part was simulated: where its cycles lie, and how large the part was.
struct SampledPart {
  std::int64_t cycles_low = 0;
  std::int64_t cycles_high = 0;
  std::int64_t simulated_ctas = 0;
  std::int64_t ctas = 0;

  /// The share of all CTAs.
  [[nodiscard]] double simulated_share() const {
    return static_cast<double>(simulated_ctas) / static_cast<double>(ctas);
  }
  friend bool operator==(const SampledPart&, const SampledPart&) = default;
};

/// Counters of bytes that every machine has, in the order of outputs.
inline constexpr std::array<std::string_view, 8> kTrafficCounters{
    "shared_memory_read_bytes", "shared_memory_write_bytes", "l2_read_bytes",    "l2_hit_bytes",
    "l2_write_bytes",           "dram_read_bytes",           "dram_write_bytes", "metadata_bytes"};

/// The statistics of one launch. Outputs list first what they have always listed, in the same
/// order; the rest follows as it comes in the block diagram.
struct LaunchStatistics {
  Cycles cycles;
  std::vector<UnitTotals> units;
  /// Activations it took to simulate.
  std::int64_t events = 0;
  /// If not all CTAs were simulated; then cycles, buckets and counters are those of all, estimated.
  std::optional<SampledPart> sampled = {};

  /// The counters of all units, those of kTrafficCounters first.
  [[nodiscard]] std::vector<Counter> counters() const;
  /// A counter's value. Throws SimulationError if no unit counts that.
  [[nodiscard]] std::int64_t count(std::string_view counter) const;
  /// Tensor-core or vector instructions of all sub-cores.
  [[nodiscard]] std::int64_t instructions() const { return count("instructions"); }

  friend bool operator==(const LaunchStatistics&, const LaunchStatistics&) = default;
};

/// Something that a unit did from `begin` up to `end`.
struct TimelineSlice {
  std::string name;
  Cycle begin;
  Cycle end;
  /// Which CTA slot and k-step it was for; -1 for none in particular.
  std::int64_t slot = -1;
  std::int64_t step = -1;
  /// Of "mma": its cycles without gaps between instructions.
  std::int64_t busy = 0;
};

/// The slices of one unit: they do not overlap, but may lie inside each other.
struct TimelineTrack {
  /// Whose statistics they are, "" if nobody counts them.
  std::string_view unit;
  /// For people, e.g. "tensor core 2".
  std::string name;
  std::vector<TimelineSlice> slices;
};

/// What the units of one SM did from the beginning of a launch up to `end`; what they took on by
/// then is drawn to its end.
struct Timeline {
  /// Tracks and times at which operands of a k-step were asked for, there, and first used.
  using Flow = std::array<std::pair<std::size_t, Cycle>, 3>;
  Cycle end;
  /// Whether the launch ended by then.
  bool is_whole = false;
  std::vector<TimelineTrack> tracks;
  /// Each of the three lies in a slice of its track.
  std::vector<Flow> flows;
  /// What the SM's units counted by then. Slices of a name sum to the bucket of that name of their
  /// unit, those of "mma" to busy and issue_gap.
  std::vector<UnitTotals> units;
};

/// The kinds of units in the order of outputs.
[[nodiscard]] std::vector<UnitTotals> in_order_of_outputs(std::vector<UnitTotals> units);

}  // namespace stcsim
