#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// One operand slice asked for by one SM: by whom, and everything about the answer that can depend
/// on *which* CTA or k-step it was.
struct L2Access {
  enum class Outcome : std::uint8_t {
    missed,      // some eighths of it had to be brought in
    same_fill,   // its slice was on its way, or just arriving: as many fills ago as `age` says
    older_fill,  // its slice was there, brought in at least `age` fills ago
  };
  std::int64_t cta = 0;
  std::int32_t step = 0;
  std::int32_t age = 0;
  std::int32_t bytes = 0;
  Operand operand = Operand::a;
  Outcome outcome = Outcome::missed;
  bool odd = false;  // (strip + slice) is odd, which selects the near or far partition
  std::uint8_t missing_eighths = 0;
};

/// Accesses that the L2 cache served in one cycle: loads or stores.
struct L2Batch {
  std::size_t first_load = 0;
  std::size_t loads = 0;
  std::int64_t stored_bytes = 0;
};

/// Consecutive batches of a log, which must outlive it and not change.
class L2Accesses {
 public:
  L2Accesses() = default;
  L2Accesses(std::span<const L2Batch> batches, std::span<const L2Access> loads)
      : batches_(batches), loads_(loads) {}

  [[nodiscard]] std::span<const L2Batch> batches() const { return batches_; }
  [[nodiscard]] std::span<const L2Access> loads_of(const L2Batch& batch) const {
    return loads_.subspan(batch.first_load, batch.loads);
  }

 private:
  std::span<const L2Batch> batches_;
  std::span<const L2Access> loads_;  // of these batches and of others
};

/// Every access to the L2 cache, batch by batch. Batches are numbered from the start, also when
/// the oldest have been dropped; the memory of those is used again.
class L2AccessLog {
 public:
  void add_batch(std::int64_t stored_bytes = 0) {
    batches_.push_back({loads_.size(), 0, stored_bytes});
  }
  /// To the last batch.
  void add_load(const L2Access& access) {
    loads_.push_back(access);
    ++batches_.back().loads;
  }

  /// Number of the next batch.
  [[nodiscard]] std::int64_t end() const { return dropped_ + std::ssize(batches_); }
  /// All batches from that number on, until the log changes.
  [[nodiscard]] L2Accesses since(std::int64_t batch) const {
    return {std::span(batches_).subspan(static_cast<std::size_t>(batch - dropped_)), loads_};
  }
  /// May drop the batches before that number; does if they are the better half.
  void drop_before(std::int64_t batch);
  void drop_all();

 private:
  std::vector<L2Batch> batches_;
  std::vector<L2Access> loads_;
  std::int64_t dropped_ = 0;  // batches
};

}  // namespace stcsim
