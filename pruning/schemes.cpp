#include "pruning/schemes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "pruning/adaprune.hpp"
#include "pruning/channel_permutation.hpp"
#include "pruning/double_pruning.hpp"
#include "pruning/magnitude.hpp"
#include "pruning/mvue.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
namespace {

/// Facts of a scheme in a row of the table; a row holds the sum.
constexpr unsigned kTransposable = 1;
constexpr unsigned kTwoPrunings = 2;
constexpr unsigned kDraws = 4;
constexpr unsigned kComputes = 8;  // does not copy values
constexpr unsigned kOnlyTwoOfFour = 16;
constexpr unsigned kSeed = 32;
constexpr unsigned kRescale = 64;
constexpr unsigned kBeta = 128;
constexpr unsigned kDecay = 256;
constexpr unsigned kCandidates = 512;
constexpr unsigned kSamples = 1024;
constexpr unsigned kPairs = 2048;
constexpr unsigned kColumns = 4096;

constexpr unsigned kEstimate = kDraws | kComputes | kSeed;

/// Operations per element. A sort of four takes five compare-exchanges, two operations each, over
/// four elements; with the packing it is counted as 8. MVUE: probabilities, Philox and division.
constexpr double kMagnitudeOps = 8;
constexpr double kRandomOps = 10;
constexpr double kMvueOps = 30;
/// Counted in the Triton kernel that FST's authors publish (_semi_structured_conversions.py), for
/// sixteen elements of a thread: twelve divisions of seven instructions and 87 others for each
/// four, five rounds of Philox twice and eight uniform numbers (112), loads, stores and addresses
/// (89).
constexpr double kApproximateMvueOps = 55;
constexpr double kGreedyOps = 50;  // measured: xFormers' kernel, which packs both ways
constexpr double kFlowOps = 64;
constexpr double kExhaustiveOps = 90;
/// Seven a round: sums, products and quotients of both axes, the cut; the sort as above.
constexpr double kTransportOps = 7.0 * kTransportRounds + kGreedyOps;

Matrix like(const Matrix& matrix) {
  return {matrix.rows, matrix.columns};
}

/// The one plane of a scheme for groups.
const Matrix& lines(const SchemeInput& in) {
  return in.planes.front();
}

/// Where the result of those goes.
Matrix& result_like(const SchemeInput& in, SchemeOutput& out) {
  return out.values.emplace_back(like(lines(in)));
}

/// Calls prune(plane, result, execution) for every plane; progress counts all of them.
template <typename Prune>
void for_each_plane(const SchemeInput& in, SchemeOutput& out, Prune prune) {
  const Execution& how = in.options.how;
  const auto planes = std::ssize(in.planes);
  for (std::int64_t index = 0; index < planes; ++index) {
    Execution plane_how{how.threads, {}};
    if (how.progress) {
      plane_how.progress = [&how, index, planes](std::int64_t done, std::int64_t total) {
        how.progress(index * total + done, planes * total);
      };
    }
    const Matrix& plane = in.planes[static_cast<std::size_t>(index)];
    prune(plane, plane_how, out.values.emplace_back(like(plane)));
  }
}

void take(DoublePruned pruned, SchemeOutput& out) {
  out.values = std::move(pruned.forward);
  out.backward = std::move(pruned.backward);
  out.rows_order = std::move(pruned.row_order);
}

/// The calibration inputs, checked against the weights.
Matrix samples_for(const Matrix& weights, const PruneOptions& options) {
  if (!options.samples) {
    throw ConfigError("adaprune needs calibration inputs, samples x " +
                      std::to_string(weights.columns));
  }
  const Tensor& samples = *options.samples;
  validate(samples);
  if (samples.shape.size() != 2 || samples.shape[1] != weights.columns) {
    throw ConfigError("the calibration inputs have the shape " + shape_text(samples.shape) +
                      ", must be samples x " + std::to_string(weights.columns) +
                      " (the length of the pruned axis)");
  }
  return to_planes(samples, {1, {}}).front();
}

void run_random(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_at_random(lines(in), o.pattern, o.seed, o.draw, o.how.threads, result_like(in, out));
}

void run_magnitude(const SchemeInput& in, SchemeOutput& out) {
  prune_by_magnitude(lines(in), in.options.pattern, in.options.how.threads, result_like(in, out));
}

void run_rescaled(const SchemeInput& in, SchemeOutput& out) {
  prune_rescaled(lines(in), in.options.pattern, in.options.rescale, in.samples,
                 in.options.how.threads, result_like(in, out));
}

void run_mvue(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_mvue(lines(in), o.pattern, o.seed, o.draw, o.how.threads, result_like(in, out));
}

void run_mvue_pairs(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_mvue_pairs(lines(in), o.seed, o.draw, o.how.threads, result_like(in, out));
}

void run_approximate_mvue(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_approximate_mvue(lines(in), o.seed, o.draw, o.how.threads, result_like(in, out));
}

/// A scheme that masks every plane by itself, whatever pattern it has.
template <auto mask_blocks>
void run_blocks(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [&](const Matrix& plane, const Execution& how, Matrix& result) {
    mask_blocks(plane, in.options.pattern, how, result);
  });
}

/// Of the only pattern that there is a list of masks for.
void prune_by_list(const Matrix& in, Pattern /*two_of_four*/, const Execution& how, Matrix& out) {
  prune_exhaustively(in, how, out);
}

void run_bi_mask(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  take(prune_bi_mask(in.planes, o.pattern, o.candidates, o.seed, o.how), out);
}

void run_slope(const SchemeInput& in, SchemeOutput& out) {
  take(prune_double(in.planes, in.options.pattern, in.options.how), out);
}

void run_sr_ste(const SchemeInput& in, SchemeOutput& out) {
  run_magnitude(in, out);
  out.decay.push_back(
      sr_ste_decay(lines(in), out.values.front(), static_cast<float>(in.options.decay)));
}

void run_s_ste(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  out.beta = o.beta ? static_cast<float>(*o.beta)
                    : soft_threshold_scale(lines(in), o.pattern, o.how.threads);
  soft_threshold(lines(in), o.pattern, *out.beta, o.how.threads, result_like(in, out));
}

void run_adaprune(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  const Matrix samples = samples_for(lines(in), o);
  AdaPruneOptions training;
  training.iterations = o.iterations;
  training.seed = o.seed;
  out.values.push_back(adaprune(lines(in), o.pattern, samples, training, o.how));
}

void run_asp_permuted(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  out.order = find_channel_order(lines(in), o.candidates, o.seed, o.how);
  Matrix pruned = like(lines(in));
  prune_by_magnitude(reordered(lines(in), out.order), o.pattern, o.how.threads, pruned);
  out.values.push_back(restored(pruned, out.order));
}

struct Row {
  std::string_view name;
  std::string_view description;
  unsigned traits;
  void (*run)(const SchemeInput&, SchemeOutput&);
  double ops = kMagnitudeOps;
};

constexpr std::array<Row, 21> kRows{{
    {"random", "n of m positions, uniformly chosen", kDraws | kSeed | kPairs, &run_random,
     kRandomOps},
    {"magnitude", "the n largest magnitudes", kPairs | kColumns, &run_magnitude},
    {"rescaled-magnitude", "magnitude, rescaled to preserve the sum of magnitudes",
     kComputes | kRescale | kPairs, &run_rescaled},
    {"mvue", "minimum-variance unbiased estimate", kEstimate, &run_mvue, kMvueOps},
    {"mvue-pairs", "the same by the published law for pairs (2:4)", kEstimate | kOnlyTwoOfFour,
     &run_mvue_pairs, kMvueOps},
    {"mvue-approximate", "unbiased estimate by two draws without replacement (2:4)",
     kEstimate | kOnlyTwoOfFour, &run_approximate_mvue, kApproximateMvueOps},
    {"transposable", "transposable mask, optimal by minimum-cost flow", kTransposable,
     &run_blocks<prune_transposable>, kFlowOps},
    {"transposable-exactly", "the same with exactly n in every row and column", kTransposable,
     &run_blocks<prune_transposable_exactly>, kFlowOps},
    {"transposable-greedy", "transposable mask, keeping the largest first", kTransposable,
     &run_blocks<prune_greedy_keep>, kGreedyOps},
    {"transposable-greedy-published", "transposable mask, pruning the smallest first",
     kTransposable, &run_blocks<prune_greedy_prune>, kGreedyOps},
    {"transposable-transport", "transposable mask, nearly optimal by the dual method (TSENOR)",
     kTransposable, &run_blocks<prune_by_transport>, kTransportOps},
    {"transposable-exhaustive", "transposable mask, the best of all 90 (2:4)",
     kTransposable | kOnlyTwoOfFour, &run_blocks<prune_by_list>, kExhaustiveOps},
    {"bi-mask", "a mask per axis, the second after the best of random row orders",
     kTwoPrunings | kCandidates | kSeed, &run_bi_mask},
    {"slope", "double pruning: what is left along one axis, once more along the other",
     kTwoPrunings, &run_slope},
    {"sr-ste", "magnitude, and the decay of what is pruned", kDecay | kPairs, &run_sr_ste},
    {"s-ste", "soft threshold with one scale per tensor", kComputes | kBeta, &run_s_ste},
    {"adaprune", "magnitude, then trained on calibration inputs", kComputes | kSamples | kSeed,
     &run_adaprune},
    {"asp", "magnitude (2:4)", kOnlyTwoOfFour, &run_magnitude},
    {"asp-2d-greedy", "transposable-greedy (2:4)", kTransposable | kOnlyTwoOfFour,
     &run_blocks<prune_greedy_keep>, kGreedyOps},
    {"asp-2d-best", "transposable-exhaustive (2:4)", kTransposable | kOnlyTwoOfFour,
     &run_blocks<prune_by_list>, kExhaustiveOps},
    {"asp-permuted", "magnitude after a search for the best order of channels (2:4)",
     kOnlyTwoOfFour | kCandidates | kSeed, &run_asp_permuted},
}};

constexpr std::array<std::pair<unsigned, Setting>, 6> kSettings{{
    {kSeed, Setting::seed},
    {kRescale, Setting::rescale},
    {kBeta, Setting::beta},
    {kDecay, Setting::decay},
    {kCandidates, Setting::candidates},
    {kSamples, Setting::samples},
}};

Scheme scheme_of(const Row& row) {
  const auto has = [&row](unsigned trait) { return (row.traits & trait) != 0; };
  Scheme scheme;
  scheme.name = row.name;
  scheme.description = row.description;
  if (has(kTransposable)) scheme.kind = Kind::transposable;
  if (has(kTwoPrunings)) scheme.kind = Kind::two_prunings;
  scheme.random = has(kDraws);
  scheme.copies_values = !has(kComputes);
  scheme.keeps_pairs = has(kPairs);
  scheme.selects_columns = has(kColumns);
  if (has(kOnlyTwoOfFour)) scheme.only = Pattern{2, 4};
  for (const auto& [trait, setting] : kSettings) {
    if (has(trait)) scheme.settings.push_back(setting);
  }
  scheme.run = row.run;
  scheme.ops = row.ops;
  return scheme;
}

std::vector<Scheme> all_schemes() {
  std::vector<Scheme> all;
  all.reserve(kRows.size());
  for (const Row& row : kRows) all.push_back(scheme_of(row));
  return all;
}

}  // namespace

bool Scheme::heeds(Setting setting) const {
  return std::ranges::find(settings, setting) != settings.end();
}

std::span<const Scheme> schemes() {
  static const std::vector<Scheme> all = all_schemes();
  return all;
}

const Scheme& find_scheme(std::string_view name) {
  const auto found = std::ranges::find(schemes(), name, &Scheme::name);
  if (found != schemes().end()) return *found;
  std::vector<std::string_view> names;
  for (const Scheme& scheme : schemes()) names.push_back(scheme.name);
  throw ConfigError(fmt::format("there is no pruning scheme '{}', it must be one of {}", name,
                                fmt::join(names, ", ")));
}

}  // namespace stcsim::pruning
