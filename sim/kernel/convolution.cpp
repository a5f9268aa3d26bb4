#include "sim/kernel/convolution.hpp"

#include <algorithm>

#include "common/counts.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kSectorBytes = 32;

bool is_wgrad(const GemmProblem& problem) {
  return problem.convolution->phase == Phase::wgrad;
}

/// Rows of K, or of wgrad's N, are taps of channels.
std::int64_t channels_of_group(const GemmProblem& problem) {
  return (is_wgrad(problem) ? problem.n : problem.k) / problem.convolution->taps;
}

bool pads_channels(const KernelConfig& config, const GemmProblem& problem) {
  return problem.convolution && channels_of_group(problem) % config.pads_channels_to != 0;
}

std::int64_t stored_channels(const KernelConfig& config, const GemmProblem& problem) {
  return round_up(channels_of_group(problem), config.pads_channels_to);
}

/// `problem` with so many channels.
GemmProblem widened(GemmProblem problem, std::int64_t channels) {
  const std::int64_t before = channels_of_group(problem);
  std::int64_t& extent = is_wgrad(problem) ? problem.n : problem.k;
  std::int64_t& unique = is_wgrad(problem) ? problem.b.unique_rows : problem.b.unique_k;
  extent = channels * problem.convolution->taps;
  unique = unique / before * channels;
  return problem;
}

/// Of the image, as it lies in memory.
std::int64_t image_bytes(const GemmProblem& problem) {
  const std::int64_t rows = problem.b.unique_rows > 0 ? problem.b.unique_rows : problem.n;
  const std::int64_t k = problem.b.unique_k > 0 ? problem.b.unique_k : problem.k;
  return bytes_of(problem.dtype, rows * k) * problem.batch_count;
}

bool is_strided(const GemmProblem& problem) {
  const std::int64_t unique = is_wgrad(problem) ? problem.b.unique_rows : problem.b.unique_k;
  return unique > channels_of_group(problem);
}

}  // namespace

std::int64_t channels_of(const GemmProblem& problem) {
  return problem.convolution ? channels_of_group(problem) * problem.batch_count : 0;
}

bool is_for_convolution(const LibraryKernel& entry, const GemmProblem& problem) {
  if (entry.passes.empty()) return true;
  if (!problem.convolution) return false;
  const ConvolutionPass& pass = *problem.convolution;
  const std::int64_t channels = channels_of(problem);
  return std::find(entry.passes.begin(), entry.passes.end(), pass.phase) != entry.passes.end() &&
         pass.taps <= entry.max_taps && channels >= entry.min_channels &&
         channels <= entry.max_channels;
}

GemmProblem with_whole_channels(const KernelConfig& config, const GemmProblem& problem) {
  if (!problem.convolution) return problem;
  std::int64_t channels = stored_channels(config, problem);
  if (config.steps_within_taps && !is_wgrad(problem)) channels = round_up(channels, config.tile_k);
  return channels == channels_of_group(problem) ? problem : widened(problem, channels);
}

void load_channels(const KernelConfig& config, const GemmProblem& problem, KernelLaunch& launch) {
  if (!pads_channels(config, problem)) return;
  const std::int64_t channels = stored_channels(config, problem);
  const std::int64_t bytes = bytes_of(problem.dtype, channels);
  if (config.steps_within_taps && !is_wgrad(problem) && channels < launch.tile_k) {
    for (OperandStream* const one : {&launch.a, &launch.b}) {
      launch.zero_bytes += one->rows * (one->row_bytes - bytes);
      one->row_bytes = one->edge_row_bytes = bytes;
    }
  }
  if (!is_strided(problem)) return;
  const std::int64_t touched = round_up(bytes, kSectorBytes);
  launch.b.row_bytes = launch.b.row_bytes * touched / bytes;
  launch.b.edge_row_bytes = launch.b.edge_row_bytes * touched / bytes;
  launch.b.distinct_per_1024 =
      std::max<std::int64_t>(1, launch.b.distinct_per_1024 * bytes / touched);
}

std::vector<KernelLaunch> transform_launches(const MachineConfig& machine,
                                             const KernelConfig& config,
                                             const GemmProblem& problem) {
  std::vector<StreamWork> works;
  if (pads_channels(config, problem)) {
    const std::int64_t padded = image_bytes(widened(problem, stored_channels(config, problem)));
    works.push_back({.write_bytes = padded});
    works.push_back({.read_bytes = image_bytes(problem), .write_bytes = padded});
  }
  if (config.converts_a) {
    const std::int64_t bytes = bytes_of(problem.dtype, problem.m * problem.k) * problem.batch_count;
    works.push_back({.read_bytes = bytes, .write_bytes = bytes});
  }
  std::vector<KernelLaunch> launches;
  for (const StreamWork& work : works) launches.push_back(stream_launch(machine, work));
  return launches;
}

}  // namespace stcsim
