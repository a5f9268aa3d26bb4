#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/wakeable.hpp"

namespace stcsim {

/// A unit whose turns an agenda plans.
class AgendaUnit : public Wakeable {
 public:
  /// Does all that is due at `now`; returns when it next has to act by itself.
  virtual std::optional<Cycle> act(Cycle now) = 0;
};

/// When each of a few units acts next. They are simulated cycle by cycle, possibly ahead of what is
/// not on the agenda.
class UnitAgenda {
 public:
  /// Returns the unit's number.
  std::size_t add(AgendaUnit& unit);

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
  std::vector<AgendaUnit*> units_;
  std::vector<Cycle> due_;
  Cycle done_until_;
};

/// A unit's core on an agenda.
template <ClocklessCore Core>
class UnitOnAgenda final : public AgendaUnit {
 public:
  template <class... Arguments>
  explicit UnitOnAgenda(UnitAgenda& agenda, Arguments&&... arguments)
      : core(std::forward<Arguments>(arguments)...), agenda_(agenda), number_(agenda.add(*this)) {}

  void wake(Cycle at) override { agenda_.wake(number_, at); }
  std::optional<Cycle> act(Cycle now) override {
    ++activations_;
    return core.advance(now);
  }
  /// Gives up what was planned.
  void disarm() { agenda_.plan(number_, kNever); }
  /// Takes over the state and the plan of another instance of the same unit.
  void copy_state(const UnitOnAgenda& other) {
    core = other.core;
    agenda_.plan(number_, other.agenda_.due(other.number_));
  }

  [[nodiscard]] std::int64_t activations() const { return activations_; }

  Core core;

 private:
  UnitAgenda& agenda_;
  std::size_t number_;
  std::int64_t activations_ = 0;
};

}  // namespace stcsim
