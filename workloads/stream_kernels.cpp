#include <algorithm>
#include <array>
#include <optional>

#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// What one direction of an operation moves and computes, in passes over the tensor before the
/// operation (x and its gradient) and after it (y and its gradient). The two differ in size only
/// for pooling. Masks take a byte per element of x.
struct Cost {
  std::int64_t read_before = 0;
  std::int64_t read_after = 0;
  std::int64_t read_masks = 0;
  std::int64_t write_before = 0;
  std::int64_t write_after = 0;
  std::int64_t write_masks = 0;
  /// Vector operations (a fused multiply-add is one) per element of x and of y.
  std::int64_t ops_before = 0;
  std::int64_t ops_after = 0;
};

struct OpCost {
  StreamOp op;
  Cost forward;
  Cost backward;
};

/// One kernel per row and direction, each tensor streamed from memory, as the eager kernels of
/// PyTorch and cuDNN do it. Why these counts:
///  bias          forward: added in the GEMM's epilogue; backward: a sum over dy
///  batch_norm    forward: statistics (add, multiply-add), then normalise (multiply-add); backward:
///                two sums over x and dy (x-hat, add, multiply-add), then dx (two multiply-adds)
///  layer_norm    a row stays on chip; forward: statistics 2, normalise 1, affine 1; backward: dx
///                (x-hat, gamma*dy, two sums, two multiply-adds), then dgamma and dbeta (2) in a
///                second kernel over x and dy
///  gelu          forward: tanh polynomial 3, tanh 4, product 1; backward: the same and its
///                derivative 4
///  softmax       forward: maximum, subtract, exponent, sum, scale; backward: sum of y*dy,
///                subtract, multiply
///  dropout       forward: a quarter of a Philox-4x32-10 call (ten rounds of two wide multiplies,
///                two xors, two key additions: 15), compare, scale; backward: multiply by the mask
///  residual_add  forward: sum of two tensors; backward: sum of the gradients where the branches
///                part
///  max_pool      3x3 stride 2 keeps a quarter; forward: nine compares per output; backward as
///                cuDNN's, from x, y and dy
///  avg_pool      global: keeps one element per channel
constexpr std::array<OpCost, 10> kCosts{{
    {StreamOp::bias, {}, {.read_after = 1, .ops_after = 1}},
    {StreamOp::batch_norm,
     {.read_before = 2, .write_after = 1, .ops_before = 3},
     {.read_before = 2, .read_after = 2, .write_before = 1, .ops_before = 5}},
    {StreamOp::layer_norm,
     {.read_before = 1, .write_after = 1, .ops_before = 4},
     {.read_before = 2, .read_after = 2, .write_before = 1, .ops_before = 8}},
    {StreamOp::relu,
     {.read_before = 1, .write_after = 1, .ops_before = 1},
     {.read_after = 2, .write_before = 1, .ops_before = 1}},
    {StreamOp::gelu,
     {.read_before = 1, .write_after = 1, .ops_before = 8},
     {.read_before = 1, .read_after = 1, .write_before = 1, .ops_before = 12}},
    {StreamOp::softmax,
     {.read_before = 1, .write_after = 1, .ops_before = 5},
     {.read_after = 2, .write_before = 1, .ops_before = 3}},
    {StreamOp::dropout,
     {.read_before = 1, .write_after = 1, .write_masks = 1, .ops_before = 17},
     {.read_after = 1, .read_masks = 1, .write_before = 1, .ops_before = 1}},
    {StreamOp::residual_add,
     {.read_before = 2, .write_after = 1, .ops_before = 1},
     {.read_after = 2, .write_before = 1, .ops_before = 1}},
    {StreamOp::max_pool,
     {.read_before = 1, .write_after = 1, .ops_after = 9},
     {.read_before = 1, .read_after = 2, .write_before = 1, .ops_after = 9}},
    {StreamOp::avg_pool,
     {.read_before = 1, .write_after = 1, .ops_before = 1},
     {.read_after = 1, .write_before = 1, .ops_before = 1}},
}};

const OpCost& cost_of(StreamOp op) {
  return *std::find_if(kCosts.begin(), kCosts.end(),
                       [&](const OpCost& cost) { return cost.op == op; });
}

/// Elements of the operation's input and output, whole batch.
struct Elements {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

std::int64_t elements_after(StreamOp op, std::int64_t before, std::int64_t per_channel) {
  if (op == StreamOp::max_pool) return (before + 3) / 4;
  if (op == StreamOp::avg_pool) return std::max<std::int64_t>(1, before / per_channel);
  return before;
}

/// Types that tensors have in memory.
struct StreamTypes {
  DataType input;   // of the operation: what its GEMM wrote, or what the kernel before it did
  DataType tensor;  // every other
};

/// int4 results leave their GEMM as int32; kernels after it write what GEMMs read.
StreamTypes types_after_gemm(DataType dtype) {
  const DataType output = output_of(dtype);
  return {output, dtype == DataType::int4 ? dtype : output};
}

StreamWork work_of(const Cost& cost, Elements elements, const StreamTypes& types) {
  const auto after = [&](std::int64_t passes) {
    return bytes_of(types.tensor, passes * elements.after);
  };
  const std::int64_t read = bytes_of(types.input, cost.read_before * elements.before);
  const std::int64_t written = bytes_of(types.tensor, cost.write_before * elements.before);
  return {.read_bytes = read + after(cost.read_after) + cost.read_masks * elements.before,
          .write_bytes = written + after(cost.write_after) + cost.write_masks * elements.before,
          .vector_ops = cost.ops_before * elements.before + cost.ops_after * elements.after};
}

/// A relu directly after a kernel that writes its input is done by that kernel, in both
/// directions, as framework compilers and cuDNN's fused normalisation do.
bool is_fused(StreamOp op, std::optional<StreamOp> previous) {
  return op == StreamOp::relu && (previous == StreamOp::batch_norm || previous == StreamOp::bias ||
                                  previous == StreamOp::residual_add);
}

void add_kernel(std::vector<StreamKernel>& kernels, const std::string& name, const StreamWork& work,
                bool backward) {
  if (work == StreamWork{}) return;
  kernels.push_back({name + (backward ? " backward" : " forward"), work, backward});
}

void add_zero_fill(std::vector<StreamKernel>& kernels, const Layer& layer, std::int64_t batch,
                   DataType type) {
  const std::int64_t bytes = bytes_of(type, batch * untouched_pixels(layer) * layer.in_channels);
  add_kernel(kernels, "zero_fill", {.write_bytes = bytes}, true);
}

/// Bytes per parameter: fp32 master weight and `states` fp32 states are read and written, the
/// 16-bit gradient is read, the 16-bit weight is written.
StreamWork update_work(std::int64_t parameters, std::int64_t states, std::int64_t ops) {
  const std::int64_t bytes = 2 + 4 * (1 + states);
  return {.read_bytes = bytes * parameters,
          .write_bytes = bytes * parameters,
          .vector_ops = ops * parameters};
}

}  // namespace

std::vector<StreamKernel> stream_kernels(const Layer& layer, std::int64_t batch, DataType dtype) {
  std::vector<StreamKernel> kernels;
  std::vector<StreamKernel> backward;
  Elements elements{.before = batch * layer.output_elements()};
  std::int64_t per_channel = layer.out_height() * layer.out_width();
  std::optional<StreamOp> previous;
  StreamTypes types = types_after_gemm(dtype);
  for (const StreamOp op : layer.after) {
    elements.after = elements_after(op, elements.before, per_channel);
    if (!is_fused(op, previous)) {
      const OpCost& cost = cost_of(op);
      const std::string name(to_string(op));
      add_kernel(kernels, name, work_of(cost.forward, elements, types), false);
      add_kernel(backward, name, work_of(cost.backward, elements, types), true);
      if (cost.forward.write_after > 0) types.input = types.tensor;
    }
    per_channel = elements_after(op, per_channel, per_channel);
    elements.before = elements.after;
    previous = op;
  }
  kernels.insert(kernels.end(), backward.rbegin(), backward.rend());
  add_zero_fill(kernels, layer, batch, types.tensor);
  return kernels;
}

StreamKernel optimizer_kernel(const Network& network) {
  // sgd_momentum: unscale, weight decay, momentum, update. adam: unscale, two moments (2 and 3),
  // square root, epsilon, division, weight decay, update.
  const bool adam = network.optimizer == Optimizer::adam;
  return {std::string(to_string(network.optimizer)) + " update",
          update_work(network.parameters(), adam ? 2 : 1, adam ? 11 : 4), true};
}

}  // namespace stcsim
