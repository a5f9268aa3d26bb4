#include "models/base/unit_agenda.hpp"

#include <algorithm>

namespace stcsim {

std::size_t UnitAgenda::add(Acting& unit) {
  units_.push_back(&unit);
  due_.push_back(kNever);
  return units_.size() - 1;
}

void UnitAgenda::clear(Cycle done) {
  std::fill(due_.begin(), due_.end(), kNever);
  done_until_ = done;
}

void UnitAgenda::skip(Cycles length) {
  done_until_ += length;
  for (Cycle& due : due_) {
    if (due != kNever) due += length;
  }
}

}  // namespace stcsim
