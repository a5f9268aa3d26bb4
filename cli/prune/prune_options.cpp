#include "cli/prune/prune_options.hpp"

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "pruning/checkpoint.hpp"
#include "pruning/npy.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim {
namespace {

using pruning::Kind;
using pruning::Purpose;
using pruning::RescaleSet;
using pruning::Setting;

constexpr std::int64_t kLargestNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxDraws = 1'000'000;
constexpr std::int64_t kMaxTries = 1'000'000;
constexpr std::int64_t kMaxAxis = 1'000;

constexpr std::array<std::pair<std::string_view, RescaleSet>, 3> kRescaleSets{{
    {"sample-channel", RescaleSet::sample_channel},
    {"channel", RescaleSet::channel},
    {"group", RescaleSet::group},
}};

const pruning::Scheme& pruning_scheme_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const pruning::Scheme& scheme : pruning::schemes()) names.emplace_back(scheme.name);
  return pruning::schemes()[arguments.choose("scheme", names)];
}

Pattern pattern_of(const Arguments& arguments) {
  const auto pattern = pattern_from_string(arguments.text("pattern"));
  if (!pattern || pattern->is_dense()) {
    arguments.refuse("pattern",
                     fmt::format("n:m (n kept out of m) with 1 <= n < m <= {}, e.g. 2:4, 'n:m "
                                 "pairs' with both even, e.g. '4:8 pairs', or V:2:m with m from 4, "
                                 "e.g. 128:2:10",
                                 kMaxGroup));
  }
  return *pattern;
}

pruning::Tensor tensor_of(const std::string& text, std::uint64_t seed, Purpose purpose) {
  return pruning::is_generated_input(text) ? pruning::generated_input(text, seed, purpose)
                                           : pruning::read_npy(text);
}

/// normal:... and uniform:..., not a file or constant:...
bool is_random_input(const std::string& text) {
  return pruning::is_generated_input(text) && !text.starts_with("constant:");
}

/// Options that would have no effect are mistakes.
void refuse_idle_options(const Arguments& arguments, const pruning::Scheme& scheme) {
  const std::string why = "has no effect on the scheme " + std::string(scheme.name);
  const auto only = [&](bool condition, const char* name) {
    arguments.allow_only_if(condition, name, why);
  };
  only(scheme.heeds(Setting::rescale), "rescale");
  only(scheme.heeds(Setting::beta), "beta");
  only(scheme.heeds(Setting::decay), "decay");
  only(scheme.heeds(Setting::candidates), "candidates");
  only(scheme.heeds(Setting::samples), "calibration");
  only(scheme.heeds(Setting::samples), "iterations");
  only(scheme.random, "draws");
  only(scheme.kind != Kind::groups, "second-axis");
  only(scheme.kind == Kind::transposable, "skip-optimum");
  only(scheme.copies_values, "allow-non-finite");
  arguments.allow_only_if(!arguments.has("allow-non-finite"), "draws",
                          "has no effect with --allow-non-finite: nothing is estimated");
  const bool generated = is_random_input(arguments.text("input")) ||
                         is_random_input(arguments.text_or("calibration", "-"));
  arguments.allow_only_if(scheme.heeds(Setting::seed) || generated, "seed",
                          why + " and an input that is not random");
}

void read_settings(const Arguments& arguments, const pruning::Scheme& scheme,
                   pruning::PruneOptions& options) {
  options.rescale = arguments.choice_or("rescale", RescaleSet::sample_channel, kRescaleSets);
  if (arguments.has("beta")) options.beta = arguments.not_negative_or("beta", 1);
  options.decay = arguments.not_negative_or("decay", options.decay);
  options.candidates =
      static_cast<int>(arguments.integer_or("candidates", options.candidates, 0, kMaxTries));
  options.iterations =
      static_cast<int>(arguments.integer_or("iterations", options.iterations, 1, kMaxTries));
  if (scheme.heeds(Setting::samples)) {
    options.samples = tensor_of(arguments.text("calibration"), options.seed, Purpose::samples);
  }
  options.allow_non_finite = arguments.has("allow-non-finite");
}

void read_axes(const Arguments& arguments, const pruning::Tensor& tensor,
               pruning::PruneOptions& options) {
  const std::int64_t last = std::ssize(tensor.shape) - 1;
  options.axis = static_cast<std::size_t>(arguments.integer_or("axis", last, 0, kMaxAxis));
  if (arguments.has("second-axis")) {
    options.rows_axis = static_cast<std::size_t>(arguments.integer("second-axis", 0, kMaxAxis));
  }
}

/// Everything the result depends on.
void resolve(PruneCommandOptions& options, const Arguments& arguments) {
  const pruning::PruneOptions& prune = options.prune;
  nlohmann::ordered_json json{
      {"allow_non_finite", prune.allow_non_finite},
      {"axis", prune.axis},
      {"beta", nullptr},
      {"calibration", arguments.text_or("calibration", "")},
      {"candidates", prune.candidates},
      {"decay", prune.decay},
      {"draws", options.summary.draws},
      {"input", options.input},
      {"iterations", prune.iterations},
      {"pattern", prune.pattern.to_string()},
      {"rescale", arguments.text_or("rescale", std::string(kRescaleSets[0].first))},
      {"scheme", options.scheme->name},
      {"second_axis", nullptr},
      {"seed", prune.seed},
  };
  if (prune.beta) json["beta"] = *prune.beta;
  if (prune.rows_axis) json["second_axis"] = *prune.rows_axis;
  // A file's name may be any bytes.
  options.resolved_config =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  options.config_hash = sha256_hex(options.resolved_config);
}

std::string output_of(const Arguments& arguments, bool is_checkpoint) {
  const std::string output = arguments.text_or("output", "");
  if (is_checkpoint) return output;
  if (!output.empty() && !output.ends_with(".npy")) {
    arguments.refuse("output", "a file name that ends in .npy");
  }
  return output;
}

}  // namespace

boost::program_options::options_description prune_options_description() {
  boost::program_options::options_description options("Options");
  add_option(options, "scheme", "NAME", "how to prune, see below (required)");
  add_option(options, "pattern", "N:M",
             "n kept out of m, 'N:M pairs', neighbours together, or V:2:M (required)");
  add_option(options, "input", "INPUT",
             "NumPy file (fp32 or fp16), or normal:SHAPE, uniform:SHAPE, constant:SHAPE, e.g. "
             "normal:1024x1024 (required)");
  add_option(options, "output", "FILE.npy",
             "write the pruned tensor there, and beside it what belongs to it; of a checkpoint a "
             ".safetensors file, or a folder for its shards");
  add_option(
      options, "tensors", "NAME,...",
      "tensors of a checkpoint (INPUT is a .safetensors file, a folder of them or their index): "
      "those to prune, * for any text (default: weights but of embeddings and "
      "normalisation)");
  add_option(options, "axis", "K", "axis the groups run along, from 0 (default the last)");
  add_option(options, "second-axis", "K",
             "the other axis of schemes that have two (default 0, or 1 with --axis 0)");
  add_option(options, "seed", "S", "seed of all random numbers (default 1)");
  add_option(options, "draws", "D", "estimates to draw for bias and variance (default 16)");
  add_option(options, "rescale", "SET",
             "elements whose sum of magnitudes rescaled-magnitude preserves: sample-channel, "
             "channel or group (default sample-channel)");
  add_option(options, "beta", "B", "frozen scale of s-ste (default: that of this tensor)");
  add_option(options, "decay", "L", "lambda of sr-ste (default 0.0002)");
  add_option(options, "candidates", "N", "random tries of bi-mask and asp-permuted (default 100)");
  add_option(options, "calibration", "INPUT",
             "inputs of the layer for adaprune, samples x inputs; as for --input");
  add_option(options, "iterations", "N", "steps of adaprune (default 1000)");
  options.add_options()("allow-non-finite", "let NaN and infinities pass, as largest magnitudes");
  options.add_options()("skip-optimum", "do not compare a transposable mask with the optimum");
  add_option(options, "jobs", "N", "threads, or 'auto' for all cores (default 1)");
  add_option(options, "format", "table|json|csv", "form of the figures (default table)");
  return options;
}

PruneCommandOptions read_prune_options(const Arguments& arguments) {
  PruneCommandOptions options;
  options.scheme = &pruning_scheme_of(arguments);
  options.prune.pattern = pattern_of(arguments);
  options.input = arguments.text("input");
  refuse_idle_options(arguments, *options.scheme);
  options.is_checkpoint = pruning::is_checkpoint(options.input);
  options.output = output_of(arguments, options.is_checkpoint);
  arguments.allow_only_if(options.is_checkpoint, "tensors",
                          "has an effect on checkpoints only (.safetensors)");
  options.format = format_of(arguments);
  options.prune.seed =
      static_cast<std::uint64_t>(arguments.integer_or("seed", 1, 0, kLargestNumber));
  options.prune.how.threads = static_cast<int>(jobs_of(arguments));
  options.summary.draws = arguments.integer_or("draws", options.summary.draws, 2, kMaxDraws);
  options.summary.optimum = !arguments.has("skip-optimum");
  read_settings(arguments, *options.scheme, options.prune);
  options.prune.name = options.input;
  if (options.is_checkpoint) return options;
  options.tensor = tensor_of(options.input, options.prune.seed, Purpose::input);
  read_axes(arguments, options.tensor, options.prune);
  resolve(options, arguments);
  return options;
}

}  // namespace stcsim
