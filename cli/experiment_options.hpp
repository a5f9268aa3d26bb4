#pragma once

#include <boost/program_options/options_description.hpp>

#include "cli/arguments.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// --network, --arch, --schemes, --phase, --dtype and --batch: an experiment without a file.
void add_experiment_options(boost::program_options::options_description& options);

/// The experiment the plain argument EXPERIMENT names (a path, or a shipped one), or the one that
/// the options above say, with --set.
/// @throws ConfigError if both are given, or neither
[[nodiscard]] Experiment experiment_of(const Arguments& arguments);

}  // namespace stcsim
