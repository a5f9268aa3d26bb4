#pragma once

#include <cstdint>
#include <vector>

#include "models/base/state_visitor.hpp"
#include "models/base/time.hpp"

namespace stcsim {

struct SmModules;

/// Accounts the time as far as the SM has been simulated, so that equal states look equal, then
/// describes it. Two SMs with the same state do the same from now on.
void describe_sm(SmModules& sm, Cycle now, StateWriter& writer);
/// The same after simulating it as far ahead as can be known, so that SMs can be compared.
void describe_sm(SmModules& sm, Cycle now, DescribedState& into);

/// Puts an SM into the state of another one, which has nothing left to do in this cycle.
void copy_sm(SmModules& to, const SmModules& from);

/// Adds to an SM's counters, in the order of DescribedState::counters.
void add_to_counters(SmModules& sm, const std::vector<std::int64_t>& ahead);

}  // namespace stcsim
