#include "cli/prune/prune_options.hpp"

#include <array>
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

constexpr std::int64_t kMaxDraws = 1'000'000;
constexpr std::int64_t kMaxTries = 1'000'000;
constexpr std::int64_t kMaxAxis = 1'000;

/// In the order of RescaleSet.
constexpr std::array kRescaleSets{"sample-channel", "channel", "group"};

const pruning::Scheme& pruning_scheme_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const pruning::Scheme& scheme : pruning::schemes()) names.emplace_back(scheme.name);
  return pruning::schemes()[arguments.choose(kCommon.scheme, names)];
}

Pattern pattern_of(const Arguments& arguments) {
  const auto pattern = operand_pattern_from_string(arguments.text(kPrune.pattern));
  if (!pattern || pattern->is_dense()) {
    arguments.refuse(kPrune.pattern,
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
  const auto only = [&](bool condition, const Option& option) {
    arguments.allow_only_if(condition, option, why);
  };
  only(scheme.heeds(Setting::rescale), kPrune.rescale);
  only(scheme.heeds(Setting::beta), kPrune.beta);
  only(scheme.heeds(Setting::decay), kPrune.decay);
  only(scheme.heeds(Setting::candidates), kCommon.candidates);
  only(scheme.heeds(Setting::samples), kPrune.calibration);
  only(scheme.heeds(Setting::samples), kPrune.iterations);
  only(scheme.random, kCommon.draws);
  only(scheme.kind != Kind::groups, kPrune.second_axis);
  only(scheme.kind == Kind::transposable, kPrune.skip_optimum);
  only(scheme.copies_values, kPrune.allow_non_finite);
  arguments.allow_only_if(!arguments.has(kPrune.allow_non_finite), kCommon.draws,
                          "has no effect with --allow-non-finite: nothing is estimated");
  const bool generated = is_random_input(arguments.text(kPrune.input)) ||
                         is_random_input(arguments.text_or(kPrune.calibration, "-"));
  arguments.allow_only_if(scheme.heeds(Setting::seed) || generated, kCommon.seed,
                          why + " and an input that is not random");
}

RescaleSet rescale_of(const Arguments& arguments) {
  if (!arguments.has(kPrune.rescale)) return RescaleSet::sample_channel;
  return static_cast<RescaleSet>(
      arguments.choose(kPrune.rescale, {kRescaleSets.begin(), kRescaleSets.end()}));
}

void read_settings(const Arguments& arguments, const pruning::Scheme& scheme,
                   pruning::PruneOptions& options) {
  options.rescale = rescale_of(arguments);
  if (arguments.has(kPrune.beta)) options.beta = arguments.not_negative_or(kPrune.beta, 1);
  options.decay = arguments.not_negative_or(kPrune.decay, options.decay);
  options.candidates =
      static_cast<int>(arguments.integer_or(kCommon.candidates, options.candidates, 0, kMaxTries));
  options.iterations =
      static_cast<int>(arguments.integer_or(kPrune.iterations, options.iterations, 1, kMaxTries));
  if (scheme.heeds(Setting::samples)) {
    options.samples = tensor_of(arguments.text(kPrune.calibration), options.seed, Purpose::samples);
  }
  options.allow_non_finite = arguments.has(kPrune.allow_non_finite);
}

void read_axes(const Arguments& arguments, const pruning::Tensor& tensor,
               pruning::PruneOptions& options) {
  const std::int64_t last = std::ssize(tensor.shape) - 1;
  options.axis = static_cast<std::size_t>(arguments.integer_or(kPrune.axis, last, 0, kMaxAxis));
  if (arguments.has(kPrune.second_axis)) {
    options.rows_axis =
        static_cast<std::size_t>(arguments.integer(kPrune.second_axis, 0, kMaxAxis));
  }
}

/// Everything the result depends on.
void resolve(PruneCommandOptions& options, const Arguments& arguments) {
  const pruning::PruneOptions& prune = options.prune;
  nlohmann::ordered_json json{
      {"allow_non_finite", prune.allow_non_finite},
      {"axis", prune.axis},
      {"beta", nullptr},
      {"calibration", arguments.text_or(kPrune.calibration, "")},
      {"candidates", prune.candidates},
      {"decay", prune.decay},
      {"draws", options.summary.draws},
      {"input", options.input},
      {"iterations", prune.iterations},
      {"pattern", prune.pattern.to_string()},
      {"rescale", arguments.text_or(kPrune.rescale, std::string(kRescaleSets[0]))},
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
  const std::string output = arguments.text_or(kCommon.output, "");
  if (is_checkpoint) return output;
  if (!output.empty() && !output.ends_with(".npy")) {
    arguments.refuse(kCommon.output, "a file name that ends in .npy");
  }
  return output;
}

}  // namespace

PruneCommandOptions read_prune_options(const Arguments& arguments) {
  PruneCommandOptions options;
  options.scheme = &pruning_scheme_of(arguments);
  options.prune.pattern = pattern_of(arguments);
  options.input = arguments.text(kPrune.input);
  refuse_idle_options(arguments, *options.scheme);
  options.is_checkpoint = pruning::is_checkpoint(options.input);
  options.output = output_of(arguments, options.is_checkpoint);
  arguments.allow_only_if(options.is_checkpoint, kPrune.tensors,
                          "has an effect on checkpoints only (.safetensors)");
  options.format = format_of(arguments);
  options.prune.seed = seed_of(arguments);
  options.prune.how.threads = static_cast<int>(jobs_of(arguments));
  options.summary.draws = arguments.integer_or(kCommon.draws, options.summary.draws, 2, kMaxDraws);
  options.summary.optimum = !arguments.has(kPrune.skip_optimum);
  read_settings(arguments, *options.scheme, options.prune);
  options.prune.name = options.input;
  if (options.is_checkpoint) return options;
  options.tensor = tensor_of(options.input, options.prune.seed, Purpose::input);
  read_axes(arguments, options.tensor, options.prune);
  resolve(options, arguments);
  return options;
}

}  // namespace stcsim
