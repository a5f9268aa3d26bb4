#pragma once

#include <filesystem>

#include "cli/base/common_options.hpp"
#include "sim/sweep/space.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {

struct SweepOptionTable {
  Option results = kCommon.results.as(
      "FILE",
      "SQLite file of the results (default: the space's name and .sqlite; of a shard "
      "NAME.I-of-N.sqlite)");
  Option shard{"shard", "I/N", "plan, run: the I-th of N parts only"};
  Option jobs = kCommon.jobs;
  Option retry_failed{"retry-failed", "", "run: simulate points again that have failed"};
  Option each{"each", "", "run: answer for each GEMM or network by itself, not over all of them"};
  Option fast_forward = kCommon.fast_forward;
  Option set = kCommon.set.like("sample.points=50");
  Option min =
      Option{"min", "COLUMN", "pareto: less of this is better; may be repeated"}.repeated();
  Option max =
      kCommon.max.as("COLUMN", "pareto: more of this is better; may be repeated").repeated();
  Option slurm{"slurm", "", "emit: a script of a job array"};
  Option parallel = kCommon.parallel.as("", "emit: a command line of GNU parallel");
  Option shards{"shards", "N", "emit: parts, each a task (default 16)"};
  Option directory{"directory", "DIR",
                   "emit: where the parts' results go (default: the space's name and .shards)"};
  Option time{"time", "LIMIT", "emit --slurm: a task's time limit, e.g. 1:00:00"};
  Option format =
      kCommon.format.as("table|csv|json", "form of the output (default table; of export csv)");
  Option output = kCommon.output;
  Option html = kCommon.html;
};
inline constexpr SweepOptionTable kSweep;

/// --shard, "3/16"; all points without it.
[[nodiscard]] Shard shard_of(const Arguments& arguments);
/// The file of results: --results, or one named after the space, and the shard if there is one.
[[nodiscard]] std::filesystem::path results_of(const Arguments& arguments, const Space& space);

/// `stcsim sweep emit`: the exit code.
[[nodiscard]] int emit_sweep(const Arguments& arguments, Space space, Format format);

}  // namespace stcsim
