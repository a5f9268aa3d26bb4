#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/files/trace_events.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// What one operator of a step multiplied. ATen's operators nest (linear > addmm, conv2d >
/// convolution > cudnn_convolution): only the one that multiplies counts, convolutions as their
/// outermost.
struct TraceProduct {
  enum class Kind : std::uint8_t { mm, bmm, convolution, attention };

  Kind kind = Kind::mm;
  /// Index into TraceEvents::ops.
  int op = -1;
  bool is_backward = false;
  /// Of the forward operator that it belongs to; below 0: not known.
  std::int64_t sequence = -1;
  /// mm, bmm: {count, M, N, K} of C[M x N]; a bmm of attention {batch heads, queries, keys,
  /// features}.
  std::array<std::int64_t, 4> sizes{};
  /// Convolutions: input, weight and output as far as known.
  std::vector<std::int64_t> input;
  std::vector<std::int64_t> weight;
  std::vector<std::int64_t> output;
  /// Backward of a convolution: which of data and weight gradients.
  bool has_dgrad = false;
  bool has_wgrad = false;
  bool is_causal = false;
  std::string dtype;
  /// Kernels, in microseconds, less what they wait beside the one before (programmatic launches);
  /// of a convolution's backward operator apart.
  double time = 0;
  double wgrad_time = 0;
};

/// What launched something on the GPU.
struct TraceLaunch {
  std::size_t kernel = 0;     // index into TraceEvents::kernels
  int op = -1;                // the innermost operator; below 0: none is known
  double time = 0;            // of the call; without it of the operator, else of the kernel
  std::int64_t product = -1;  // index into TraceStep::products
  bool is_weight = false;     // of that product's gradients it computes the weight's
};

struct TraceStep {
  std::vector<TraceProduct> products;
  /// What ran on the GPU, by start.
  std::vector<TraceLaunch> launches;
  /// "ProfilerStep#7", or "" where nothing marks steps.
  std::string name;
  std::size_t steps = 0;
  std::int64_t other_kernels = 0;
  double other_time = 0;
  /// Kernels that no operator launched, and some of their names.
  std::int64_t outside_kernels = 0;
  std::vector<std::string> outside_names;
};

/// The products of the last step that has some.
/// @throws ConfigError for a profile without shapes
[[nodiscard]] TraceStep last_step(const TraceEvents& events, Problems& problems);

/// Finds the operators that launched kernels.
class TraceLaunches {
 public:
  explicit TraceLaunches(const TraceEvents& events);

  /// `op` and `time`: the innermost operator in whose time, on its thread, the call with the
  /// kernel's correlation lies; without such a call the one that its "External id" names. PyTorch
  /// 1.12 to 2.0 wrote the correlation as the "External id".
  [[nodiscard]] TraceLaunch launch_of(std::size_t kernel) const;

 private:
  [[nodiscard]] int operator_of(const TraceKernel& kernel, const TraceCall* call) const;
  [[nodiscard]] int innermost(std::int64_t thread, double time) const;
  [[nodiscard]] int named(std::int64_t id) const;

  const TraceEvents& events_;
  std::unordered_map<std::int64_t, int> by_id_;
};

/// Adds up kernels' times of products. Kernels of a convolution's backward operator compute the
/// data's gradient first, the weight's then (aten/src/ATen/native/cudnn/Conv_v8.cpp), each by one
/// main kernel: names, and else that order, tell whose one is. Before it stand what clears its
/// workspace and changes layouts, after it sums of its parts.
void add_up_products(const TraceEvents& events, TraceStep& step);

/// The backward products of a step, each of which belongs to one forward product.
class BackwardProducts {
 public:
  using Fits = std::function<bool(const TraceProduct&)>;

  explicit BackwardProducts(const std::vector<TraceProduct>& products);

  /// The next one of that forward product which `fits`: by autograd's number. Compiled programs
  /// have none; there the last one of its sizes, as backward goes the other way. Null: there is
  /// none; one that was taken is not found again.
  [[nodiscard]] const TraceProduct* take(const TraceProduct& forward, const Fits& fits);

  /// Those that nothing took.
  [[nodiscard]] std::vector<const TraceProduct*> rest() const;

 private:
  using Places = std::vector<std::size_t>;

  [[nodiscard]] bool is_free(std::size_t at, const TraceProduct& forward, const Fits& fits) const;

  const std::vector<TraceProduct>& products_;
  std::map<std::int64_t, Places> by_number_;
  /// Those whose number no forward product has.
  std::map<std::vector<std::int64_t>, Places> by_sizes_;
  std::vector<bool> taken_;
};

/// Sets stride, pad and dilation of a convolution's layer: as the operator's "Concrete Inputs" have
/// them, else such as lead to its output's size. That is its gradient's, or what the next operator
/// reads.
/// @param back the gradient, or null
/// @return what is wrong, to be put behind the operator's name; "" if nothing is
[[nodiscard]] std::string settle_windows(Layer& layer, const TraceEvents& events,
                                         const TraceProduct& one, const TraceProduct* back);

}  // namespace stcsim
