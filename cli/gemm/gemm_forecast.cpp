#include "cli/gemm/gemm_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

/// Tiles and k-steps as most kernels have them.
constexpr double kTile = 128;
constexpr double kStep = 64;
/// CPU time of grids whose waves never recur (M = 10^7 with N = K = 1, 10^6 x 4096 x 4096), rounded
/// up: of a tile, and of each of its k-steps.
constexpr double kSecondsOfTile = 40e-6;
constexpr double kSecondsOfStep = 6e-6;
/// The steps of a tile recur behind so many.
constexpr double kStepsUntilTheyRecur = 4;
/// Multiply-accumulates with values, those of whole tiles (1024 x 1024 x 1024).
constexpr double kMacsOfSecond = 1e9;
constexpr double kBytesOfValue = 4;

constexpr double kLongSeconds = 30;
constexpr double kManyBytes = 1e9;

double tiles_of(const GemmProblem& problem) {
  const auto tiles = [](std::int64_t extent) {
    return std::ceil(static_cast<double>(extent) / kTile);
  };
  return tiles(problem.m) * tiles(problem.n) * static_cast<double>(problem.batch_count);
}

/// Of one side.
double seconds_of(const GemmProblem& problem, const GemmOptions& options) {
  const double steps = std::ceil(static_cast<double>(problem.k) / kStep);
  const double simulated = options.fast_forward ? std::min(steps, kStepsUntilTheyRecur) : steps;
  const double tiles = tiles_of(problem);
  const double timing = tiles * (kSecondsOfTile + simulated * kSecondsOfStep);
  if (!options.functional) return timing;
  return timing + tiles * kTile * kTile * static_cast<double>(problem.k) / kMacsOfSecond;
}

double bytes_of(const GemmProblem& problem) {
  const auto [m, n, k] = std::tuple(static_cast<double>(problem.m), static_cast<double>(problem.n),
                                    static_cast<double>(problem.k));
  return kBytesOfValue * (m * k + k * n + m * n) * static_cast<double>(problem.batch_count);
}

std::int64_t whole(double number) {
  constexpr double kMost = 1e18;
  return std::llround(std::min(number, kMost));
}

/// "5 minutes", in the largest unit of which there are two.
std::string roughly(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}}};
  for (const auto& [unit, name] : kUnits) {
    if (seconds >= 2 * unit) return fmt::format("{:.0f} {}", seconds / unit, name);
  }
  return "a second";
}

}  // namespace

std::string forecast_text(const GemmOptions& options) {
  const bool is_sampled = options.policy.sampled;
  double seconds = is_sampled ? 0 : seconds_of(options.problem, options);
  const bool has_two_sides = !options.problem.a_pattern.is_dense();
  if (has_two_sides && !is_sampled) seconds += seconds_of(options.dense, options);
  const double bytes = options.functional ? bytes_of(options.problem) : 0;
  if (seconds < kLongSeconds && bytes < kManyBytes) return "";
  const std::string tiles = fmt::format(
      "{} tiles of {:.0f} x {:.0f}", format_amount(whole(tiles_of(options.problem))), kTile, kTile);
  if (options.functional) {
    return fmt::format(
        "{} with values take up to {} of one core and {} of memory; without --functional it is "
        "far faster",
        tiles, roughly(seconds), format_bytes(whole(bytes)));
  }
  return fmt::format("{}: unless their waves recur, this takes up to {} of one core{}", tiles,
                     roughly(seconds),
                     options.fast_forward ? "; --sampled answers from a part of them" : "");
}

}  // namespace stcsim
