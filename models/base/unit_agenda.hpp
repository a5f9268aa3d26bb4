#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// Something that acts at times of its own.
class Acting {
 public:
  Acting() = default;
  Acting(const Acting&) = delete;
  Acting& operator=(const Acting&) = delete;
  virtual ~Acting() = default;
  /// Does all that is due at `now`; returns when it next has to act by itself.
  virtual std::optional<Cycle> act(Cycle now) = 0;
};

/// When each of a few units acts next. They are simulated cycle by cycle, possibly ahead of what is
/// not on the agenda.
class UnitAgenda {
 public:
  /// Returns the unit's number.
  std::size_t add(Acting& unit);

  /// Has a unit act at `at` or, if that is planned already, earlier. Throws SimulationError if that
  /// cycle is over.
  void wake(std::size_t unit, Cycle at);
  /// When a unit acts next, or kNever.
  [[nodiscard]] Cycle due(std::size_t unit) const { return due_[unit]; }
  void plan(std::size_t unit, Cycle due) { due_[unit] = due; }

  /// The next cycle in which a unit acts, or kNever.
  [[nodiscard]] Cycle next() const;
  /// Has all units act whose turn is at `now`.
  void run(Cycle now);

  /// Everything up to and including that cycle has been simulated.
  [[nodiscard]] Cycle done_until() const { return done_until_; }
  void set_done_until(Cycle done) { done_until_ = done; }
  /// Makes everything `length` later.
  void skip(Cycles length);

 private:
  std::vector<Acting*> units_;
  std::vector<Cycle> due_;
  Cycle done_until_;
};

}  // namespace stcsim
