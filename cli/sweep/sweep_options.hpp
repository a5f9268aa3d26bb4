#pragma once

#include <filesystem>
#include <string>

#include "cli/base/arguments.hpp"
#include "sim/sweep/space.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {

/// --shard, "3/16"; all points without it.
[[nodiscard]] Shard shard_of(const Arguments& arguments);
/// The file of results: --results, or one named after the space, and the shard if there is one.
[[nodiscard]] std::filesystem::path results_of(const Arguments& arguments, const Space& space);

/// `stcsim sweep emit`: the exit code.
[[nodiscard]] int emit_sweep(const Arguments& arguments, Space space);

}  // namespace stcsim
