#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "workloads/lowering.hpp"
#include "workloads/operation_groups.hpp"

namespace stcsim {
namespace {

/// Elements of the tensors that passes name, whole batch.
struct TensorSizes {
  std::int64_t before = 0;  // x and what is as large
  std::int64_t after = 0;   // y and its gradient
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t parameters = 0;
  std::int64_t zeros = 0;
  std::int64_t per_channel = 0;
  std::int64_t channels = 1;
  std::int64_t columns = 1;  // of a row, which softmax and layer normalisation go along

  [[nodiscard]] std::int64_t of(PassTensor tensor) const {
    using enum PassTensor;
    if (tensor == y || tensor == dy) return after;
    if (tensor == a) return left;
    if (tensor == b) return right;
    if (tensor == untouched) return zeros;
    if (tensor == channel) return per_channel;
    return tensor == x || tensor == dx || tensor == z || tensor == dz || tensor == mask
               ? before
               : parameters;
  }
};

/// What of one tensor in one type is moved is rounded up to whole bytes.
std::int64_t bytes_of(const std::vector<Pass>& passes, const TensorSizes& sizes,
                      const StreamTypes& types, bool reads) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> times;  // elements and bits
  for (const Pass& pass : passes) {
    times[{sizes.of(pass.tensor), bits_of(pass, types, reads)}] += pass.times;
  }
  std::int64_t bytes = 0;
  for (const auto& [key, count] : times) {
    const double bits = count * static_cast<double>(key.first) * static_cast<double>(key.second);
    bytes += static_cast<std::int64_t>(std::ceil(bits / 8.0));
  }
  return bytes;
}

std::int64_t ceil_div_by(std::int64_t value, std::int64_t divisor) {
  return divisor == 0 ? 1 : (value + divisor - 1) / divisor;
}

/// CTAs that share the rows of a column.
std::int64_t row_ctas(const KernelRecipe& recipe, const TensorSizes& sizes) {
  if (recipe.rows_per_cta == 0) return 1;
  const std::int64_t shares =
      std::max<std::int64_t>(1, ceil_div_by(sizes.before / sizes.channels, recipe.rows_per_cta));
  return recipe.most_row_ctas == 0 ? shares : std::min(shares, recipe.most_row_ctas);
}

std::int64_t ctas_of(const KernelRecipe& recipe, const TensorSizes& sizes) {
  if (recipe.channels_per_cta > 0) {
    return ceil_div_by(sizes.channels, recipe.channels_per_cta) * row_ctas(recipe, sizes);
  }
  return recipe.cta_per_row ? ceil_div_by(sizes.before, sizes.columns) : 0;
}

/// Times that a CTA asks for elements of its row: all threads for as many as they can have under
/// way, as long as a row has them; then for the tail of it, which the recipe may have fewer of.
/// @param bits  of an element
std::int64_t trips_of(const KernelRecipe& recipe, std::int64_t columns, std::int64_t bits) {
  const std::int64_t whole = recipe.cta_threads * recipe.elements_in_flight;
  if (recipe.tail_in_flight == 0) return ceil_div_by(columns, whole);
  constexpr std::int64_t kAlignedBits = 128;
  const std::int64_t in_tail = recipe.cta_threads * recipe.tail_in_flight;
  const bool is_aligned = columns * bits % kAlignedBits == 0;
  const std::int64_t rest = is_aligned ? columns : std::max<std::int64_t>(0, columns - in_tail);
  return (is_aligned ? 0 : 1) + rest / whole + ceil_div_by(rest % whole, in_tail);
}

/// A CTA goes over all tensors as often as over the one that is read most.
StreamGrid grid_of(const KernelRecipe& recipe, const TensorSizes& sizes, const StreamTypes& types) {
  const std::int64_t ctas = ctas_of(recipe, sizes);
  if (ctas == 0) return {};
  std::int64_t bits = 0;
  double passes = 1;
  for (const Pass& pass : recipe.reads) {
    bits += bits_of(pass, types, true);
    passes = std::max(passes, pass.times);
  }
  StreamGrid grid{.ctas = ctas, .threads = recipe.cta_threads, .passes = std::llround(passes)};
  grid.thread_ops = recipe.ops_per_thread;
  if (recipe.channels_per_cta > 0 && recipe.rows_per_cta > 0) {
    grid.columns = ceil_div_by(sizes.channels, recipe.channels_per_cta);
    grid.sum_threads = recipe.writes.empty() ? recipe.row_threads : 0;
    grid.at_a_time = recipe.most_row_ctas == 0;
  }
  if (recipe.cta_per_row) {
    const std::int64_t reads = bytes_of(recipe.reads, sizes, types, true);
    const std::int64_t element_bits = bits_of(recipe.reads.front(), types, true);
    const std::int64_t trips = trips_of(recipe, sizes.columns, element_bits);
    grid.trip_bytes = ceil_div_by(reads, ctas * grid.passes * trips);
  } else {
    grid.trip_bytes = recipe.cta_threads * recipe.elements_in_flight * bits / 8;
  }
  grid.trip_bytes = std::max<std::int64_t>(1, grid.trip_bytes);
  return grid;
}

StreamWork work_of(const KernelRecipe& recipe, const TensorSizes& sizes, const StreamTypes& types) {
  const double ops = recipe.ops * static_cast<double>(sizes.before) +
                     recipe.ops_per_output * static_cast<double>(sizes.after);
  return {.read_bytes = bytes_of(recipe.reads, sizes, types, true),
          .write_bytes = bytes_of(recipe.writes, sizes, types, false),
          .vector_ops = std::llround(ops),
          .grid = grid_of(recipe, sizes, types)};
}

/// Appends the recipe's kernels, all but those that move nothing.
void add_kernels(std::vector<StreamKernel>& kernels, std::span<const KernelRecipe> recipes,
                 const TensorSizes& sizes, const StreamTypes& types, bool backward) {
  for (const KernelRecipe& recipe : recipes) {
    if (sizes.columns < recipe.least_columns || sizes.columns > recipe.most_columns) continue;
    const StreamWork work = work_of(recipe, sizes, types);
    if (work.read_bytes + work.write_bytes == 0 || is_no_cast(recipe, types)) continue;
    kernels.push_back({recipe.name + (backward ? " backward" : " forward"), work, backward,
                       recipe.kind, recipe.launches});
  }
}

bool is_of_bias(const StreamKernel& kernel) {
  return kernel.kind == StreamKind::bias;
}

/// Marks the kernel that writes the gradient of the layer's output: the last that writes anything,
/// of the first operations that have such a kernel.
void mark_gradient(std::vector<std::vector<StreamKernel>>& backward) {
  for (std::vector<StreamKernel>& group : backward) {
    const auto last = std::find_if(group.rbegin(), group.rend(), [](const StreamKernel& one) {
      return one.work.write_bytes > 0;
    });
    if (last == group.rend()) continue;
    last->writes = Tensor::output_gradient;
    return;
  }
}

TensorSizes sizes_after(const Layer& layer, const OperationGroup& group) {
  return {.before = group.before,
          .after = group.after,
          .per_channel = layer.out_channels,
          .channels = layer.out_channels,
          .columns = layer.kind == LayerKind::bmm ? layer.bmm_n : layer.out_channels};
}

/// Kernels of the operations after the layer, forward and backward in the order in which they run.
void add_operations(std::vector<StreamKernel>& kernels, const Layer& layer, std::int64_t batch,
                    DataType dtype, const Framework& framework) {
  std::vector<std::vector<StreamKernel>> backward;
  for (const OperationGroup& group : operation_groups(layer, batch, dtype, framework)) {
    if (group.kernels == nullptr) continue;
    const TensorSizes sizes = sizes_after(layer, group);
    add_kernels(kernels, group.kernels->forward, sizes, group.types, false);
    add_kernels(backward.emplace_back(), group.kernels->backward, sizes, group.types, true);
    if (layer.frozen) std::erase_if(backward.back(), is_of_bias);
  }
  mark_gradient(backward);
  for (auto group = backward.rbegin(); group != backward.rend(); ++group) {
    kernels.insert(kernels.end(), group->begin(), group->end());
  }
}

/// Elementwise: what it writes lies in memory as what it read.
bool keeps_order(StreamOp op) {
  const StreamKind kind = operation_of(op).kind;
  return kind == StreamKind::bias || kind == StreamKind::activation || kind == StreamKind::dropout;
}

/// A linear layer of a branch beside the residual stream, which another ends.
bool opens_branch(const Layer& layer) {
  return layer.role != LayerRole::classifier && !layer.ends_adapter() &&
         std::ranges::find(layer.after, StreamOp::residual_add) == layer.after.end();
}

std::vector<const Directions*> around_linear(const LayerKernels& kernels, const Layer& layer) {
  if (layer.role == LayerRole::classifier) return {&kernels.linear, &kernels.head};
  if (!opens_branch(layer)) return {&kernels.linear};
  const bool is_merged = layer.role == LayerRole::attention &&
                         layer.out_channels > layer.in_channels &&
                         std::ranges::find(layer.after, StreamOp::unbind) == layer.after.end();
  if (!is_merged) return {&kernels.linear, &kernels.opening};
  return {&kernels.linear, &kernels.merged, &kernels.opening};
}

/// What runs around the layer's products, before them in this order.
std::vector<const Directions*> around(const LayerKernels& kernels, const Layer& layer) {
  if (layer.kind == LayerKind::conv) return {&kernels.conv};
  if (layer.kind == LayerKind::linear) return around_linear(kernels, layer);
  if (layer.kind == LayerKind::embedding) return {&kernels.embedding};
  return {layer.is_scores() ? &kernels.scores : &kernels.context};
}

TensorSizes sizes_around(const Layer& layer, std::int64_t batch) {
  TensorSizes sizes;
  const std::int64_t samples = layer.same_rows ? 1 : batch;
  sizes.before = sizes.left = samples * layer.input_elements();
  sizes.after = samples * layer.output_elements();
  sizes.per_channel = layer.kind == LayerKind::bmm ? layer.count : layer.out_channels;
  if (layer.kind == LayerKind::embedding) sizes.columns = sizes.before;
  sizes.right = batch * layer.count * layer.bmm_n * layer.bmm_k;
  sizes.parameters = layer.weight_elements();
  sizes.zeros = batch * untouched_pixels(layer) * layer.in_channels;
  return sizes;
}

std::int64_t part_of(std::int64_t elements, double share) {
  return std::llround(static_cast<double>(elements) * share);
}

/// Parameter tensors of the network by their size, and how many there are of each.
std::map<std::int64_t, std::int64_t> parameter_tensors(const Network& network,
                                                       const std::map<std::string, double>& kept) {
  std::map<std::int64_t, std::int64_t> tensors;
  std::int64_t rest = network.other_parameters;
  for (const Layer& layer : network.layers) {
    if (layer.frozen) continue;
    const auto share = kept.find(layer.name);
    const std::int64_t weights =
        part_of(layer.weight_elements(), share == kept.end() ? 1.0 : share->second);
    if (weights > 0) tensors[weights] += layer.repeat;
    if (layer.bias) tensors[layer.out_channels] += layer.repeat;
    for (const StreamOp op : layer.after) {
      if (op != StreamOp::batch_norm && op != StreamOp::layer_norm) continue;
      const std::int64_t count = std::min(2 * layer.repeat, rest / layer.out_channels);
      if (count > 0) tensors[layer.out_channels] += count;
      rest -= count * layer.out_channels;
    }
  }
  if (rest > 0) ++tensors[rest];
  return tensors;
}

/// Launches over all tensors: each takes so many of them, and so many chunks, of which a tensor has
/// whole ones (multi_tensor_apply; rows_per_cta parameters in a chunk).
std::int64_t launches_over(const KernelRecipe& recipe,
                           const std::map<std::int64_t, std::int64_t>& tensors) {
  const std::int64_t chunk = std::max<std::int64_t>(1, recipe.rows_per_cta);
  std::int64_t count = 0;
  std::int64_t parameters = 0;
  for (const auto& [size, alike] : tensors) {
    count += alike;
    parameters += alike * ceil_div_by(size, chunk) * chunk;
  }
  return std::max(ceil_div_by(count, recipe.tensors_per_launch),
                  ceil_div_by(parameters, recipe.parameters_per_launch));
}

/// The update of `parameters` parameters, `count` times.
void add_update(std::vector<StreamKernel>& kernels, const KernelRecipe& recipe,
                std::int64_t parameters, std::int64_t count, std::int64_t launches) {
  const StreamTypes types{DataType::fp32, DataType::fp32};
  const TensorSizes sizes{.before = parameters, .parameters = parameters};
  StreamWork work = work_of(recipe, sizes, types);
  work.read_bytes /= launches;
  work.write_bytes /= launches;
  work.vector_ops /= launches;
  work.integer_ops /= launches;
  work.grid.ctas = ceil_div_by(work.grid.ctas, launches);
  kernels.push_back({recipe.name, work, true, recipe.kind, count * launches});
}

bool writes_weights(const KernelRecipe& recipe) {
  return std::any_of(recipe.writes.begin(), recipe.writes.end(),
                     [](const Pass& pass) { return pass.tensor == PassTensor::w; });
}

/// Marks the last kernel that writes the weights. Launches of one tensor are none: which layer's it
/// is, is not known.
void mark_weights(std::vector<StreamKernel>& kernels, const std::vector<KernelRecipe>& recipes) {
  const auto last = std::find_if(recipes.rbegin(), recipes.rend(), writes_weights);
  if (last == recipes.rend() || last->tensors_per_launch == 1) return;
  const auto kernel = std::find_if(kernels.rbegin(), kernels.rend(),
                                   [&](const StreamKernel& one) { return one.name == last->name; });
  if (kernel != kernels.rend()) kernel->writes = Tensor::weight;
}

}  // namespace

std::vector<StreamKernel> operation_kernels(const Layer& layer, std::int64_t batch, DataType dtype,
                                            const Framework& framework) {
  std::vector<StreamKernel> kernels;
  add_operations(kernels, layer, batch, dtype, framework);
  return kernels;
}

std::vector<StreamKernel> stream_kernels(const Layer& layer, std::int64_t batch, DataType dtype,
                                         const Framework& framework) {
  std::vector<StreamKernel> kernels;
  const StreamTypes types = types_after_gemm(dtype);
  const StreamTypes settled{types.tensor, types.tensor};
  const std::vector<const Directions*> own = around(framework.layers, layer);
  const TensorSizes sizes = sizes_around(layer, batch);
  for (const Directions* one : own) add_kernels(kernels, one->forward, sizes, settled, false);
  add_operations(kernels, layer, batch, dtype, framework);
  if (layer.frozen && !layer.has_product()) return kernels;
  for (const Directions* one : own) add_kernels(kernels, one->backward, sizes, settled, true);
  return kernels;
}

std::vector<StreamKernel> packed_kernels(const Layer& layer, Phase phase, std::int64_t batch,
                                         DataType dtype, const Framework& framework) {
  const bool backward = phase != Phase::forward;
  const auto packed = backward ? &Directions::packed_backward : &Directions::packed_forward;
  std::vector<StreamKernel> kernels;
  const StreamTypes types = types_after_gemm(dtype);
  const TensorSizes sizes = sizes_around(layer, batch);
  for (const Directions* one : around(framework.layers, layer)) {
    add_kernels(kernels, one->*packed, sizes, {types.tensor, types.tensor}, backward);
  }
  for (const OperationGroup& group : operation_groups(layer, batch, dtype, framework)) {
    if (group.kernels == nullptr) continue;
    const TensorSizes after = sizes_after(layer, group);
    add_kernels(kernels, group.kernels->*packed, after, group.types, backward);
  }
  return kernels;
}

const Layer* layer_that_hands_on(const Network& network, const Layer& layer, Phase phase) {
  const std::vector<Layer>& layers = network.layers;
  const auto at = std::ranges::find(layers, layer.name, &Layer::name);
  const auto leads_to = [](const Layer& from, const Layer& to) {
    return from.kind == LayerKind::linear && to.kind == LayerKind::linear &&
           from.out_channels == to.in_channels && std::ranges::all_of(from.after, keeps_order);
  };
  if (phase == Phase::forward && at != layers.begin()) {
    return leads_to(*std::prev(at), *at) ? &*std::prev(at) : nullptr;
  }
  if (phase != Phase::dgrad || at == layers.end()) return nullptr;
  // Layers beside it have its sizes: a gate beside what it scales.
  const auto next = std::find_if(std::next(at), layers.end(), [&](const Layer& other) {
    return other.in_channels != layer.in_channels || other.out_channels != layer.out_channels;
  });
  return next != layers.end() && leads_to(*at, *next) ? &*next : nullptr;
}

std::vector<StreamKernel> wave_kernels(const Layer& layer, Phase phase, std::int64_t batch,
                                       DataType dtype, const Framework& framework) {
  std::vector<StreamKernel> kernels;
  if (layer.kind != LayerKind::linear) return kernels;
  const bool backward = phase != Phase::forward;
  const Directions& waves = framework.layers.waves;
  const DataType output = types_after_gemm(dtype).tensor;
  add_kernels(kernels, backward ? waves.backward : waves.forward, sizes_around(layer, batch),
              {output, output}, backward);
  return kernels;
}

std::vector<StreamKernel> weight_kernels(const Layer& layer, DataType dtype,
                                         const Framework& framework, double kept) {
  std::vector<StreamKernel> kernels;
  const bool is_kept = layer.frozen || layer.weight_elements() == 0;
  if (!layer.multiplies_weight() || is_kept) return kernels;
  const DataType output = types_after_gemm(dtype).tensor;
  const std::int64_t parameters = part_of(layer.weight_elements(), kept);
  const TensorSizes sizes{.before = parameters,
                          .parameters = parameters,
                          .per_channel = layer.bias ? layer.out_channels : 0};
  add_kernels(kernels, framework.layers.weights.forward, sizes, {output, output}, false);
  if (!kernels.empty() && kernels.back().work.write_bytes > 0) {
    kernels.back().writes = Tensor::weight;
  }
  add_kernels(kernels, framework.layers.weights.backward, sizes, {output, output}, true);
  return kernels;
}

std::vector<StreamKernel> optimizer_kernels(const Network& network, const Framework& framework,
                                            const std::map<std::string, double>& kept) {
  std::vector<StreamKernel> kernels;
  const auto tensors = parameter_tensors(network, kept);
  std::int64_t parameters = 0;
  for (const auto& [size, alike] : tensors) parameters += size * alike;
  if (parameters == 0) return kernels;
  const std::vector<KernelRecipe>& recipes =
      framework.optimizers.at(static_cast<std::size_t>(network.optimizer));
  for (const KernelRecipe& recipe : recipes) {
    if (recipe.tensors_per_launch == 1) {
      for (const auto& [size, alike] : tensors) add_update(kernels, recipe, size, alike, 1);
      continue;
    }
    add_update(kernels, recipe, parameters, 1, launches_over(recipe, tensors));
  }
  mark_weights(kernels, recipes);
  return kernels;
}

}  // namespace stcsim
