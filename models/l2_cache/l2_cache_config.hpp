#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/config_field.hpp"
#include "common/counts.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// What is brought in replaces a slice's lines by and by: an eighth of them each.
inline constexpr std::size_t kL2Eighths = 8;
/// By eighth, in ascending order.
using L2Eighths = std::array<std::int64_t, kL2Eighths>;

/// So many eighths of it, rounded up.
[[nodiscard]] constexpr std::int64_t eighths_of(std::int64_t bytes, std::int64_t eighths) {
  return ceil_div(bytes * eighths, std::int64_t{kL2Eighths});
}

/// The L2 cache, shared by all SMs. Two partitions: an SM reaches one (near) faster than the other
/// (far); addresses are interleaved over both.
struct L2CacheConfig {
  std::int64_t capacity_bytes = 0;
  /// All slices together, bytes per clk.
  std::int64_t read_bytes_per_clk = 0;
  std::int64_t write_bytes_per_clk = 0;
  /// Load-to-use of a hit as an SM sees it, cycles, both bus hops included.
  std::int64_t near_hit_cycles = 0;
  std::int64_t far_hit_cycles = 0;
  /// Addresses alternate between the partitions at this granularity: a load of more bytes lies in
  /// both, and takes the far latency.
  std::int64_t interleave_bytes = 4096;
  /// A request's lines go round the slices, each of which has an equal share of the bandwidth.
  std::int64_t slices = 1;
  /// Bytes a launch finds of what the one before has read and written: the latter is kept whole if
  /// it is no more than this.
  std::int64_t kept_bytes = 0;
  /// Times that a byte written takes the way of what is read.
  double write_passes = 0;
  /// Bytes that a launch finds again. What an SM touches lies in its own partition and, half of it,
  /// also in the other one, which the addresses belong to: three copies of two bytes. A cache of 40
  /// MB delivers at full rate up to 27 MB so (RRZE gpu-benches, gpu-l2-cache, A100); an H200 counts
  /// 1.5 sectors written for each of C.
  [[nodiscard]] std::int64_t distinct_bytes() const {
    return capacity_bytes - (has_partitions() ? capacity_bytes / 3 : 0);
  }
  /// How many bytes may be brought in since a slice was last used until each eighth of its lines is
  /// gone. A hash chooses sets, which fill unevenly. In sets of three ways that replace the least
  /// recently used line, a line is still there after x times the capacity if fewer than three lines
  /// came to its set, of 3x on average: with the chance (1 + 3x + 4.5x^2) exp(-3x). The shares are
  /// those x at which 1/16, 3/16 ... 15/16 are gone. Three ways, fewer than there are, follow what
  /// an H200 reads best (configs/validation/counters.csv).
  [[nodiscard]] L2Eighths lives_bytes() const {
    constexpr std::array kShares{0.299, 0.495, 0.653, 0.809, 0.979, 1.182, 1.460, 1.996};
    L2Eighths lives{};
    for (std::size_t eighth = 0; eighth < kL2Eighths; ++eighth) {
      const double bytes = std::floor(kShares[eighth] * static_cast<double>(distinct_bytes()));
      lives[eighth] = static_cast<std::int64_t>(std::min(bytes, 0x1p62));
    }
    return lives;
  }
  /// Of bytes that are written, those that take the way of what is read.
  [[nodiscard]] std::int64_t passing_bytes(std::int64_t written) const {
    return static_cast<std::int64_t>(std::ceil(write_passes * static_cast<double>(written)));
  }
  [[nodiscard]] bool has_partitions() const { return far_hit_cycles != near_hit_cycles; }
  /// Whether a load of so many bytes is near or far by its address.
  [[nodiscard]] bool lies_in_one_partition(std::int64_t bytes) const {
    return has_partitions() && bytes <= interleave_bytes;
  }
  /// @param address  even where it is in the partition of the SM that asks
  [[nodiscard]] bool is_far(std::int64_t bytes, std::int64_t address) const {
    return lies_in_one_partition(bytes) ? address % 2 != 0 : has_partitions();
  }
  /// Load to use of a hit, in the nearer partition if the bytes may lie there.
  [[nodiscard]] Cycles least_hit_cycles(std::int64_t bytes) const {
    return Cycles(bytes > interleave_bytes ? far_hit_cycles : near_hit_cycles);
  }

  static void visit_fields(auto& self, auto& visitor) {
    using field::bytes_per_clk;
    visitor.field(field::bytes("capacity_bytes", "of both partitions").or_unlimited(),
                  self.capacity_bytes);
    visitor.field(field::bytes("kept_bytes",
                               "what a launch touches is still there for the next if it is no more "
                               "than this: what both partitions use lies in both")
                      .or_unlimited()
                      .omitted("half of `capacity_bytes`"),
                  self.kept_bytes, self.capacity_bytes / 2);
    visitor.field(
        field::count("slices", "a line comes from one of them, with its share of the bandwidth")
            .more_is(Effect::either)
            .optional(),
        self.slices);
    visitor.field(bytes_per_clk("read_bytes_per_clk", "all slices together"),
                  self.read_bytes_per_clk);
    visitor.field(bytes_per_clk("write_bytes_per_clk", "all slices together"),
                  self.write_bytes_per_clk);
    visitor.field(field::of("write_passes", "times, a number",
                            "that a byte written takes the way of what is read: 2 where "
                            "slices have one memory, which it enters and leaves for DRAM; 0: "
                            "reads and writes do not meet")
                      .from(0, 8)
                      .more_is(Effect::slower)
                      .omitted(""),
                  self.write_passes, 0);
    visit_partitions(self, visitor);
  }

  friend bool operator==(const L2CacheConfig&, const L2CacheConfig&) = default;

 private:
  static void visit_partitions(auto& self, auto& visitor) {
    visitor.field(field::cycles("near_hit_cycles",
                                "load to use in the SM's own partition, 2 `hop_cycles` included"),
                  self.near_hit_cycles);
    visitor.field(field::cycles("far_hit_cycles",
                                "the same in the other partition, at least `near_hit_cycles`; the "
                                "same number means that there is one partition")
                      .optional("`near_hit_cycles`"),
                  self.far_hit_cycles, self.near_hit_cycles);
    visitor.field(
        field::bytes(
            "interleave_bytes",
            "addresses alternate between the partitions so often: a load of more bytes lies in "
            "both and is there when the far part is, a smaller one lies in either")
            .more_is(Effect::either)
            .optional(),
        self.interleave_bytes);
  }
};

}  // namespace stcsim
