#include "workloads/saved_tensors.hpp"

#include <cmath>
#include <set>

namespace stcsim {
namespace {

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
