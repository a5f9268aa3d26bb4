#include "models/base/unit_agenda.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace stcsim {

std::size_t UnitAgenda::add(Acting& unit) {
  units_.push_back(&unit);
  due_.push_back(kNever);
  return units_.size() - 1;
}

void UnitAgenda::wake(std::size_t unit, Cycle at) {
  if (at >= due_[unit]) return;
  if (at <= done_until_) throw SimulationError("a unit is woken in a cycle that is over");
  due_[unit] = at;
}

Cycle UnitAgenda::next() const {
  Cycle next = kNever;
  for (const Cycle due : due_) next = std::min(next, due);
  return next;
}

void UnitAgenda::run(Cycle now) {
  done_until_ = now;
  for (std::size_t unit = 0; unit < due_.size(); ++unit) {
    if (due_[unit] != now) continue;
    due_[unit] = kNever;
    if (const std::optional<Cycle> next = units_[unit]->act(now)) wake(unit, *next);
  }
}

void UnitAgenda::skip(Cycles length) {
  done_until_ += length;
  for (Cycle& due : due_) {
    if (due != kNever) due += length;
  }
}

}  // namespace stcsim
