#pragma once

#include <string>

#include "models/accelerator/accelerator_config.hpp"

namespace stcsim {

/// Everything the units of such a machine tell of a launch: the names of all buckets and counters,
/// with the counters' units of measurement. Equal texts mean results of the same form. Elaborates a
/// machine of one SM that never runs, so no machine of the process may have run before.
[[nodiscard]] std::string statistic_names(AcceleratorConfig config);

}  // namespace stcsim
