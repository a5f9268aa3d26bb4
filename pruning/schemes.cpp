#include "pruning/schemes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "pruning/scheme_runs.hpp"

namespace stcsim::pruning {
namespace {

constexpr Pattern kTwoOfFour{2, 4};
constexpr bool kRandom = true;
constexpr bool kCopies = true;

std::vector<Scheme> all_schemes() {
  using enum Kind;
  using S = Setting;
  return {
      {"random",
       "n of m positions, uniformly chosen",
       groups,
       kRandom,
       kCopies,
       {},
       {S::seed},
       &run_random},
      {"magnitude", "the n largest magnitudes", groups, !kRandom, kCopies, {}, {}, &run_magnitude},
      {"rescaled-magnitude",
       "magnitude, rescaled to preserve the sum of magnitudes",
       groups,
       !kRandom,
       !kCopies,
       {},
       {S::rescale},
       &run_rescaled},
      {"mvue",
       "minimum-variance unbiased estimate",
       groups,
       kRandom,
       !kCopies,
       {},
       {S::seed},
       &run_mvue},
      {"mvue-pairs",
       "the same by the published law for pairs (2:4)",
       groups,
       kRandom,
       !kCopies,
       kTwoOfFour,
       {S::seed},
       &run_mvue_pairs},
      {"mvue-approximate",
       "unbiased estimate by two draws without replacement (2:4)",
       groups,
       kRandom,
       !kCopies,
       kTwoOfFour,
       {S::seed},
       &run_approximate_mvue},
      {"transposable",
       "transposable mask, optimal by minimum-cost flow",
       transposable,
       !kRandom,
       kCopies,
       {},
       {},
       &run_transposable},
      {"transposable-greedy",
       "transposable mask, keeping the largest first",
       transposable,
       !kRandom,
       kCopies,
       {},
       {},
       &run_greedy_keep},
      {"transposable-greedy-published",
       "transposable mask, pruning the smallest first",
       transposable,
       !kRandom,
       kCopies,
       {},
       {},
       &run_greedy_prune},
      {"transposable-exhaustive",
       "transposable mask, the best of all 90 (2:4)",
       transposable,
       !kRandom,
       kCopies,
       kTwoOfFour,
       {},
       &run_exhaustive},
      {"bi-mask",
       "a mask per axis, the second after the best of random row orders",
       two_prunings,
       !kRandom,
       kCopies,
       {},
       {S::candidates, S::seed},
       &run_bi_mask},
      {"slope",
       "double pruning: what is left along one axis, once more along the other",
       two_prunings,
       !kRandom,
       kCopies,
       {},
       {},
       &run_slope},
      {"sr-ste",
       "magnitude, and the decay of what is pruned",
       groups,
       !kRandom,
       kCopies,
       {},
       {S::decay},
       &run_sr_ste},
      {"s-ste",
       "soft threshold with one scale per tensor",
       groups,
       !kRandom,
       !kCopies,
       {},
       {S::beta},
       &run_s_ste},
      {"adaprune",
       "magnitude, then trained on calibration inputs",
       groups,
       !kRandom,
       !kCopies,
       {},
       {S::samples, S::seed},
       &run_adaprune},
      {"asp", "magnitude (2:4)", groups, !kRandom, kCopies, kTwoOfFour, {}, &run_magnitude},
      {"asp-2d-greedy",
       "transposable-greedy (2:4)",
       transposable,
       !kRandom,
       kCopies,
       kTwoOfFour,
       {},
       &run_greedy_keep},
      {"asp-2d-best",
       "transposable-exhaustive (2:4)",
       transposable,
       !kRandom,
       kCopies,
       kTwoOfFour,
       {},
       &run_exhaustive},
      {"asp-permuted",
       "magnitude after a search for the best order of channels (2:4)",
       groups,
       !kRandom,
       kCopies,
       kTwoOfFour,
       {S::candidates, S::seed},
       &run_asp_permuted},
  };
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
