#pragma once

#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// Refuses an experiment whose machines cannot run it: an unknown kernel, a data type without
/// multipliers. `map` is the experiment's, for the location.
void check_experiment(const MapReader& map, const Experiment& experiment);

/// Of an experiment that names its kernel: how `auto` chooses says nothing then, and is refused;
/// but where only --set names the kernel, it takes the place of what the file says of that.
void settle_choice(const MapReader& map, Experiment& experiment);

}  // namespace stcsim
