#include "cli/sweep/sweep_options.hpp"

#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "reports/sweep/sweep_jobs.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostShards = 100'000;

/// A path in scripts that are run from anywhere; names of shipped spaces stay.
std::string absolute(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

}  // namespace

Shard shard_of(const Arguments& arguments) {
  if (!arguments.has(kSweep.shard)) return {};
  const std::string text = arguments.text(kSweep.shard);
  Shard shard;
  const std::size_t slash = text.find('/');
  const auto number = [&](const std::string& digits) {
    return to_whole_number(digits).value_or(0);
  };
  if (slash != std::string::npos) {
    shard = {number(text.substr(0, slash)), number(text.substr(slash + 1))};
  }
  if (slash == std::string::npos || shard.index < 1 || shard.index > shard.count ||
      shard.count > kMostShards) {
    arguments.refuse(kSweep.shard,
                     fmt::format("i/n with 1 <= i <= n <= {}, e.g. 3/16", kMostShards));
  }
  return shard;
}

std::filesystem::path results_of(const Arguments& arguments, const Space& space) {
  if (arguments.has(kCommon.results)) return arguments.text(kCommon.results);
  const Shard shard = shard_of(arguments);
  if (shard == Shard{}) return space.name + ".sqlite";
  return fmt::format("{}.{}-of-{}.sqlite", space.name, shard.index, shard.count);
}

int emit_sweep(const Arguments& arguments, Space space, Format /*format*/) {
  if (arguments.has(kSweep.slurm) == arguments.has(kCommon.parallel)) {
    throw ConfigError("emit needs --slurm or --parallel, one of them");
  }
  arguments.allow_only_if(arguments.has(kSweep.slurm), kSweep.time, "goes with --slurm only");
  SweepJobs jobs;
  jobs.program = fs::read_symlink("/proc/self/exe").string();
  const std::string named = arguments.text(kCommon.space);
  jobs.space = fs::is_regular_file(named) ? absolute(named) : named;
  jobs.name = space.name;
  jobs.directory = absolute(arguments.text_or(kSweep.directory, space.name + ".shards"));
  jobs.results = absolute(results_of(arguments, space).string());
  for (const std::string& set : arguments.all(kCommon.set)) {
    jobs.options += " --set " + script_word(set);
  }
  if (const char* const configs = std::getenv("STCSIM_CONFIG_DIR")) {
    jobs.config_directory = absolute(configs);
  }
  jobs.jobs = jobs_of(arguments);
  jobs.shards = arguments.integer_or(kSweep.shards, 16, 1, kMostShards);
  jobs.time_limit = arguments.text_or(kSweep.time, "");
  Output(arguments).write(arguments.has(kSweep.slurm) ? slurm_script(jobs)
                                                      : parallel_command(jobs));
  return kExitFine;
}

}  // namespace stcsim
