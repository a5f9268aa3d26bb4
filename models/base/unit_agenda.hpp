#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/error.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Something that can be asked to act at a later cycle.
class Wakeable {
 public:
  Wakeable() = default;
  Wakeable(const Wakeable&) = delete;
  Wakeable& operator=(const Wakeable&) = delete;
  virtual ~Wakeable() = default;
  virtual void wake(Cycle at) = 0;
};

/// Something that acts at times of its own.
class Acting : public Wakeable {
 public:
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
  void wake(std::size_t unit, Cycle at) {
    if (at >= due_[unit]) return;
    if (at <= done_until_) throw SimulationError("a unit is woken in a cycle that is over");
    due_[unit] = at;
  }
  /// When a unit acts next, or kNever.
  [[nodiscard]] Cycle due(std::size_t unit) const { return due_[unit]; }
  void plan(std::size_t unit, Cycle due) { due_[unit] = due; }

  /// The next cycle in which a unit acts, or kNever.
  [[nodiscard]] Cycle next() const {
    Cycle next = kNever;
    for (const Cycle due : due_) next = std::min(next, due);
    return next;
  }
  /// Has all units act whose turn is at `now`.
  void run(Cycle now) {
    done_until_ = now;
    for (std::size_t unit = 0; unit < due_.size(); ++unit) {
      if (due_[unit] != now) continue;
      due_[unit] = kNever;
      ++activations_;
      if (const std::optional<Cycle> next = units_[unit]->act(now)) wake(unit, *next);
    }
  }

  /// Everything up to and including that cycle has been simulated.
  [[nodiscard]] Cycle done_until() const { return done_until_; }
  void set_done_until(Cycle done) { done_until_ = done; }
  /// Makes everything `length` later.
  void skip(Cycles length);
  /// Gives up all that is planned; everything up to and including that cycle has been simulated.
  void clear(Cycle done);
  /// The number of times units have acted.
  [[nodiscard]] std::int64_t activations() const { return activations_; }

 private:
  std::vector<Acting*> units_;
  std::vector<Cycle> due_;
  Cycle done_until_;
  std::int64_t activations_ = 0;
};

}  // namespace stcsim
