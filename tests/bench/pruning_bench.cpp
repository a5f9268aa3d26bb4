// Pruning functions on one thread, beside a copy of the same memory. Rates are of the input.
#include <algorithm>
#include <cstring>

#include <benchmark/benchmark.h>

#include "pruning/magnitude.hpp"
#include "pruning/mvue.hpp"
#include "pruning/random_stream.hpp"
#include "pruning/transposable.hpp"

namespace {

using stcsim::Pattern;
using stcsim::pruning::Matrix;

constexpr Pattern kTwoOfFour{2, 4};
constexpr Pattern kFourOfEight{4, 8};

/// Far larger than any cache.
const Matrix& input() {
  static const Matrix matrix = [] {
    Matrix made(4096, 4096);
    made.values = stcsim::pruning::generated_input("normal:4096x4096", 1).values;
    return made;
  }();
  return matrix;
}

/// Calls prune(input, output) and counts bytes and elements of the input.
template <typename Prune>
void run(benchmark::State& state, const Matrix& in, Prune prune) {
  Matrix out(in.rows, in.columns);
  for (auto _ : state) {
    prune(in, out);
    benchmark::DoNotOptimize(out.values.data());
    benchmark::ClobberMemory();
  }
  const auto elements = std::ssize(in.values);
  state.SetBytesProcessed(state.iterations() * elements * static_cast<std::int64_t>(sizeof(float)));
  state.SetItemsProcessed(state.iterations() * elements);
}

void copy(benchmark::State& state) {
  run(state, input(), [](const Matrix& in, Matrix& out) {
    std::memcpy(out.values.data(), in.values.data(), in.values.size() * sizeof(float));
  });
}
BENCHMARK(copy)->Unit(benchmark::kMillisecond);

void magnitude(benchmark::State& state, Pattern pattern) {
  run(state, input(),
      [&](const Matrix& in, Matrix& out) { prune_by_magnitude(in, pattern, 1, out); });
}
BENCHMARK_CAPTURE(magnitude, two_of_four, kTwoOfFour)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(magnitude, four_of_eight, kFourOfEight)->Unit(benchmark::kMillisecond);

void s_ste(benchmark::State& state) {
  constexpr float kFrozenScale = 1.483F;
  run(state, input(),
      [](const Matrix& in, Matrix& out) { soft_threshold(in, kTwoOfFour, kFrozenScale, 1, out); });
}
BENCHMARK(s_ste)->Unit(benchmark::kMillisecond);

void mvue(benchmark::State& state, Pattern pattern) {
  run(state, input(),
      [&](const Matrix& in, Matrix& out) { prune_mvue(in, pattern, 1, 0, 1, out); });
}
BENCHMARK_CAPTURE(mvue, two_of_four, kTwoOfFour)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mvue, one_of_two, Pattern{1, 2})->Unit(benchmark::kMillisecond);

void mvue_approximate(benchmark::State& state) {
  run(state, input(),
      [](const Matrix& in, Matrix& out) { prune_approximate_mvue(in, 1, 0, 1, out); });
}
BENCHMARK(mvue_approximate)->Unit(benchmark::kMillisecond);

void transposable_exhaustive(benchmark::State& state) {
  run(state, input(), [](const Matrix& in, Matrix& out) { prune_exhaustively(in, {}, out); });
}
BENCHMARK(transposable_exhaustive)->Unit(benchmark::kMillisecond);

void transposable_greedy(benchmark::State& state, Pattern pattern) {
  run(state, input(),
      [&](const Matrix& in, Matrix& out) { prune_greedy_keep(in, pattern, {}, out); });
}
BENCHMARK_CAPTURE(transposable_greedy, two_of_four, kTwoOfFour)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(transposable_greedy, four_of_eight, kFourOfEight)->Unit(benchmark::kMillisecond);

/// 1024 x 1024: the solver takes about a second for each.
void transposable_flow(benchmark::State& state, Pattern pattern) {
  Matrix in(1024, 1024);
  std::copy_n(input().values.begin(), in.values.size(), in.values.begin());
  run(state, in,
      [&](const Matrix& from, Matrix& out) { prune_transposable(from, pattern, {}, out); });
}
BENCHMARK_CAPTURE(transposable_flow, two_of_four, kTwoOfFour)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(transposable_flow, four_of_eight, kFourOfEight)->Unit(benchmark::kMillisecond);

}  // namespace
