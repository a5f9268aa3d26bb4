#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/io/problems.hpp"

namespace stcsim {

/// An operator of a PyTorch profile, or a step of it. Times in microseconds.
struct TraceOp {
  std::string name;
  double start = 0;
  double length = 0;
  std::int64_t thread = 0;
  std::int64_t id = -1;                         // "External id"
  std::int64_t sequence = -1;                   // of a backward operator that of the forward one
  std::vector<std::vector<std::int64_t>> dims;  // of inputs; empty where they are no tensors
  std::vector<std::string> types;
  std::vector<std::string> values;  // "Concrete Inputs"
  int parent = -1;                  // the operator around it

  [[nodiscard]] double end() const { return start + length; }
};

/// What ran on the GPU.
struct TraceKernel {
  enum class What : std::uint8_t { kernel, copy, fill };

  std::string name;
  double start = 0;
  double length = 0;
  std::int64_t id = -1;
  std::int64_t correlation = -1;  // of the call that launched it
  What what = What::kernel;

  [[nodiscard]] double end() const { return start + length; }
};

/// A call of the GPU's runtime or driver.
struct TraceCall {
  std::int64_t correlation = -1;
  std::int64_t thread = 0;
  double start = 0;
  std::int64_t id = -1;
  double length = 0;
};

struct TraceEvents {
  /// By thread, then start; those that others are inside of first.
  std::vector<TraceOp> ops;
  std::vector<TraceKernel> kernels;  // by start
  std::vector<TraceCall> calls;      // by correlation
  std::vector<TraceOp> steps;        // ProfilerStep#N, by start
  /// What programs mark: phase:forward and so on, and each call of an optimizer.
  std::vector<TraceOp> marks;
  /// The first device's name, "" where the file does not say it.
  std::string gpu;
  bool has_shapes = false;
  /// The file ended within the events: what was read until then counts.
  bool is_cut = false;
};

/// Reads a profile as torch.profiler exports it (Kineto's Chrome trace), plain or compressed by
/// gzip; categories as since PyTorch 1.12 ("cpu_op") or before ("Operator"). Memory is bounded: at
/// most 2,000,000 operators and as many kernels, texts of 1 MiB, 2 GiB of text.
/// @throws ConfigError for what is no such file, or more than that
[[nodiscard]] TraceEvents read_trace_events(const std::filesystem::path& path, Problems& problems);

}  // namespace stcsim
