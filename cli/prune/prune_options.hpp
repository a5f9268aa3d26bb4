#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/base/arguments.hpp"
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

struct PruneTable {
  Option scheme = kCommon.scheme.as("NAME", "how to prune, see below (required)");
  Option pattern{"pattern", "N:M",
                 "n kept out of m, 'N:M pairs', neighbours together, or V:2:M (required)"};
  Option input{"input", "INPUT",
               "NumPy file (fp32 or fp16), or normal:SHAPE, uniform:SHAPE, constant:SHAPE, e.g. "
               "normal:1024x1024 (required)"};
  Option output = kCommon.output.as(
      "FILE.npy",
      "write the pruned tensor there, and beside it what belongs to it; of a checkpoint a "
      ".safetensors file, or a folder for its shards");
  Option tensors{"tensors", "NAME,...",
                 "tensors of a checkpoint (INPUT is a .safetensors file, a folder of them or their "
                 "index): those to prune, * for any text (default: weights but of embeddings and "
                 "normalisation)"};
  Option axis{"axis", "K", "axis the groups run along, from 0 (default the last)"};
  Option second_axis{"second-axis", "K",
                     "the other axis of schemes that have two (default 0, or 1 with --axis 0)"};
  Option seed = kCommon.seed.as("S", "seed of all random numbers (default 1)");
  Option draws = kCommon.draws.as("D", "estimates to draw for bias and variance (default 16)");
  Option rescale{"rescale", "SET",
                 "elements whose sum of magnitudes rescaled-magnitude preserves: sample-channel, "
                 "channel or group (default sample-channel)"};
  Option beta{"beta", "B", "frozen scale of s-ste (default: that of this tensor)"};
  Option decay{"decay", "L", "lambda of sr-ste (default 0.0002)"};
  Option candidates =
      kCommon.candidates.as("N", "random tries of bi-mask and asp-permuted (default 100)");
  Option calibration{"calibration", "INPUT",
                     "inputs of the layer for adaprune, samples x inputs; as for --input"};
  Option iterations{"iterations", "N", "steps of adaprune (default 1000)"};
  Option allow_non_finite{"allow-non-finite", "",
                          "let NaN and infinities pass, as largest magnitudes"};
  Option skip_optimum{"skip-optimum", "", "do not compare a transposable mask with the optimum"};
  Option jobs = kCommon.jobs.as("N", "threads, or 'auto' for all cores (default 1)");
  Option format = kCommon.format.as("table|json|csv", "form of the figures (default table)");
};
inline constexpr PruneTable kPrune;

/// Reads the options and the input. Throws ConfigError for anything wrong with either.
[[nodiscard]] PruneCommandOptions read_prune_options(const Arguments& arguments);

/// The next command for a weight of that shape: the GEMM of its outputs by the rest.
[[nodiscard]] std::vector<std::string> next_of_weight(const std::vector<std::int64_t>& shape,
                                                      Pattern pattern);

/// Prunes a checkpoint and prints a row for each tensor.
int run_prune_checkpoint(const PruneCommandOptions& options, const Arguments& arguments);

}  // namespace stcsim
