#pragma once

#include "models/base/messages.hpp"

namespace stcsim {

/// A point in time or kNever.
template <class Visitor>
void visit_time(Visitor& visitor, Cycle& at) {
  if (visitor.present(at != kNever)) visitor.time(at);
}

/// How messages describe themselves to a state visitor (state_visitor.hpp). For Inbox<CtaStart>.
template <class Visitor>
auto visit_start(Visitor& visitor) {
  return [&](CtaStart& start) {
    visitor.value(start.slot);
    visitor.value(start.steps);
  };
}

}  // namespace stcsim
