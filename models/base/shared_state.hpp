#pragma once

#include <cstdint>

#include "models/base/launch_clock.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/sm_sets.hpp"

namespace stcsim {

/// What the modules of a machine know of a launch besides their messages.
struct SharedState {
  explicit SharedState(std::int64_t sms) : sets(sms), groups(sets) {}

  LaunchClock clock;
  SmSets sets;
  /// Who is simulated for whom.
  SmGroups groups;
  ResidentCtas resident;
  /// CTAs that SMs may still be given.
  std::int64_t ctas_left = 0;
};

}  // namespace stcsim
