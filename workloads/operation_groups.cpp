#include "workloads/operation_groups.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/counts.hpp"
#include "workloads/framework.hpp"

namespace stcsim {
namespace {

std::int64_t bits_of(DataType type) {
  return bytes_of(type, 8);
}

std::int64_t elements_after(const Layer& layer, StreamOp op, std::int64_t before,
                            std::int64_t per_channel) {
  if (op == StreamOp::avg_pool) return std::max<std::int64_t>(1, before / per_channel);
  if (op == StreamOp::combine) return before / layer.experts_per_token;
  return ceil_div(before, operation_of(op).inputs);
}

bool is_loss(const Layer& layer, StreamOp op) {
  return op == StreamOp::softmax && layer.role == LayerRole::classifier;
}

/// Whether the recipe is for the operations of `layer` from number `first` on.
bool fits(const OperationRecipe& recipe, const Layer& layer, std::size_t first) {
  if (recipe.layers && *recipe.layers != layer.kind) return false;
  if (recipe.role && *recipe.role != layer.role) return false;
  if (recipe.operations.size() > layer.after.size() - first) return false;
  for (std::size_t at = 0; at < recipe.operations.size(); ++at) {
    const StreamOp op = layer.after[first + at];
    if (op != recipe.operations[at] || is_loss(layer, op)) return false;
  }
  return true;
}

/// What runs for operations that follow one another: how many of them, and the kernels.
struct Match {
  std::size_t operations = 1;
  const OperationKernels* kernels = nullptr;
};

/// The operation, or the one whose kernels stand for it.
StreamOp known_to(const SingleOperations& single, StreamOp op) {
  const auto other = operation_of(op).otherwise;
  return other && !single.after.at(static_cast<std::size_t>(op)) ? *other : op;
}

Match match(const Framework& framework, const Layer& layer, std::size_t first) {
  const SingleOperations& single = framework.operations;
  const StreamOp op = known_to(single, layer.after[first]);
  if (is_loss(layer, op)) return {1, &single.loss};
  const auto found = std::ranges::find_if(
      framework.rules, [&](const OperationRecipe& recipe) { return fits(recipe, layer, first); });
  if (found != framework.rules.end()) return {found->operations.size(), &found->kernels};
  const auto& kernels = single.after.at(static_cast<std::size_t>(op));
  return {1, kernels ? &*kernels : nullptr};
}

bool writes_output(const Directions& kernels) {
  return std::ranges::any_of(kernels.forward, [](const KernelRecipe& one) {
    return std::ranges::any_of(one.writes,
                               [](const Pass& pass) { return pass.tensor == PassTensor::y; });
  });
}

bool is_index(const Pass& pass) {
  return pass.type == "int64" || pass.type == "int32" || pass.type == "byte" || pass.type == "bit";
}

bool outlives_forward(const Pass& pass) {
  using enum PassTensor;
  return pass.tensor == x || pass.tensor == y || pass.tensor == z || pass.tensor == mask;
}

/// What the backward kernels read of what forward has left, each once.
std::vector<Pass> read_backward(const Directions& kernels, const StreamTypes& types) {
  std::vector<Pass> read;
  const auto is_known = [&](const Pass& pass) {
    for (const Pass& known : read) {
      if (known.tensor == pass.tensor && is_index(known) == is_index(pass) &&
          bits_of(known, types, true) == bits_of(pass, types, true)) {
        return true;
      }
    }
    return false;
  };
  for (const KernelRecipe& kernel : kernels.backward) {
    if (is_no_cast(kernel, types)) continue;
    for (const Pass& pass : kernel.reads) {
      if (outlives_forward(pass) && !is_known(pass)) read.push_back({1, pass.tensor, pass.type});
    }
  }
  return read;
}

/// @param listed  tensors of the chain that the group has named before: another one of that size
///                and type is another tensor
void add(SavedTensors& saved, const Pass& pass, std::size_t place, const OperationGroup& group,
         std::set<ChainTensor>& listed) {
  const auto tensor = chain_tensor(pass, place, group.types);
  double times = pass.times;
  if (tensor && times >= 1 && listed.insert(*tensor).second) {
    saved.tensors[*tensor] = bytes_of({1, pass.tensor, pass.type}, group);
    --times;
  }
  if (times > 0) saved.other_bytes += bytes_of({times, pass.tensor, pass.type}, group);
}

}  // namespace

std::string_view to_string(ScorePlace scores) {
  if (scores == ScorePlace::none) return "none";
  return scores == ScorePlace::materialised ? "materialised" : "on_chip";
}

ScorePlace score_place(const Network& network, const Framework& framework) {
  for (const Layer& layer : network.layers) {
    const bool is_scores = layer.kind == LayerKind::bmm &&
                           std::ranges::find(layer.after, StreamOp::softmax) != layer.after.end();
    if (!is_scores) continue;
    const auto groups = operation_groups(layer, 1, DataType::fp16, framework);
    const bool is_on_chip = std::ranges::any_of(groups, [](const OperationGroup& group) {
      return group.kernels != nullptr && group.kernels->on_chip;
    });
    return is_on_chip ? ScorePlace::on_chip : ScorePlace::materialised;
  }
  return ScorePlace::none;
}

StreamTypes types_after_gemm(DataType dtype) {
  const DataType output = output_of(dtype);
  return {output, dtype == DataType::int4 ? dtype : output};
}

std::int64_t bits_of(const Pass& pass, const StreamTypes& types, bool reads) {
  if (!pass.type.empty()) return *bits_of_stored(pass.type);
  using enum PassTensor;
  if (pass.tensor == mask) return 8;
  const bool is_input = reads && (pass.tensor == x || pass.tensor == z);
  return bits_of(is_input ? types.input : types.tensor);
}

bool is_no_cast(const KernelRecipe& recipe, const StreamTypes& types) {
  if (recipe.kind != StreamKind::casts || recipe.reads.empty() || recipe.writes.empty()) {
    return false;
  }
  return bits_of(recipe.reads.front(), types, true) == bits_of(recipe.writes.front(), types, false);
}

std::vector<OperationGroup> operation_groups(const Layer& layer, std::int64_t batch, DataType dtype,
                                             const Framework& framework) {
  std::vector<OperationGroup> groups;
  StreamTypes types = types_after_gemm(dtype);
  std::int64_t before = batch * layer.output_elements();
  std::int64_t per_channel = layer.out_height() * layer.out_width();
  for (std::size_t at = 0; at < layer.after.size();) {
    const Match found = match(framework, layer, at);
    OperationGroup group{found.kernels, types, before, before};
    for (std::size_t end = at + found.operations; at < end; ++at) {
      group.after = elements_after(layer, layer.after[at], group.after, per_channel);
      const StreamOp op = layer.after[at];
      const bool pools = operation_of(op).kind == StreamKind::pooling;
      if (pools) per_channel = elements_after(layer, op, per_channel, per_channel);
    }
    if (found.kernels != nullptr && writes_output(*found.kernels)) types.input = types.tensor;
    before = group.after;
    groups.push_back(group);
  }
  return groups;
}

std::int64_t SavedTensors::bytes() const {
  std::int64_t sum = other_bytes;
  for (const auto& [tensor, bytes] : tensors) sum += bytes;
  return sum;
}

std::optional<ChainTensor> chain_tensor(const Pass& pass, std::size_t place,
                                        const StreamTypes& types) {
  if (pass.tensor != PassTensor::x && pass.tensor != PassTensor::y) return std::nullopt;
  const std::size_t behind = pass.tensor == PassTensor::y ? 1 : 0;
  return ChainTensor{place + behind, bits_of(pass, types, true), is_index(pass)};
}

std::int64_t bytes_of(const Pass& pass, const OperationGroup& group) {
  const bool is_output = pass.tensor == PassTensor::y || pass.tensor == PassTensor::dy;
  const auto elements = static_cast<double>(is_output ? group.after : group.before);
  const auto bits = static_cast<double>(bits_of(pass, group.types, true));
  constexpr double kByteBits = 8;
  return static_cast<std::int64_t>(std::ceil(pass.times * elements * bits / kByteBits));
}

SavedTensors saved_tensors(const std::vector<OperationGroup>& groups) {
  SavedTensors saved;
  for (std::size_t place = 0; place < groups.size(); ++place) {
    const OperationGroup& group = groups[place];
    if (group.kernels == nullptr) continue;
    const std::vector<Pass> passes =
        group.kernels->saved ? *group.kernels->saved : read_backward(*group.kernels, group.types);
    std::set<ChainTensor> listed;
    for (const Pass& pass : passes) add(saved, pass, place, group, listed);
  }
  return saved;
}

}  // namespace stcsim
