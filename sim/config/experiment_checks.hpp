#pragma once

#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// Refuses an experiment whose machines cannot run it: an unknown kernel, a data type without
/// multipliers. `map` is the experiment's, for the location.
void check_experiment(const MapReader& map, const Experiment& experiment);

}  // namespace stcsim
