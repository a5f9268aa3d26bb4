#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/program_options/options_description.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/common_options.hpp"
#include "pruning/matrix.hpp"
#include "pruning/prune.hpp"
#include "pruning/prune_summary.hpp"
#include "pruning/schemes.hpp"

namespace stcsim {

/// What the user asked `prune` to do.
struct PruneCommandOptions {
  const pruning::Scheme* scheme = nullptr;
  std::string input;
  /// A checkpoint is read tensor by tensor; `tensor` is empty then.
  bool is_checkpoint = false;
  pruning::Tensor tensor;
  pruning::PruneOptions prune;
  pruning::SummaryOptions summary;
  /// Where the pruned tensor goes, "" if nowhere; the other files' names are made from it.
  std::string output;
  Format format = Format::table;
  std::string resolved_config;  // JSON
  std::string config_hash;
};

[[nodiscard]] boost::program_options::options_description prune_options_description();

/// Reads the options and the input. Throws ConfigError for anything wrong with either.
[[nodiscard]] PruneCommandOptions read_prune_options(const Arguments& arguments);

/// The next command for a weight of that shape: the GEMM of its outputs by the rest.
[[nodiscard]] std::vector<std::string> next_of_weight(const std::vector<std::int64_t>& shape,
                                                      Pattern pattern);

/// Prunes a checkpoint and prints a row for each tensor.
int run_prune_checkpoint(const PruneCommandOptions& options, const Arguments& arguments);

}  // namespace stcsim
