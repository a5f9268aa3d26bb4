#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "workloads/operation_groups.hpp"

namespace stcsim {

/// A tensor behind a layer: its output (0), that of the first group of operations (1), and so on,
/// in the type that it has in memory. Integers (masks, indices) are others than numbers.
struct ChainTensor {
  std::size_t place = 0;
  std::int64_t bits = 0;
  bool is_index = false;

  friend auto operator<=>(const ChainTensor&, const ChainTensor&) = default;
};

/// What operations keep for backward: tensors of the chain, each once, and bytes of others.
struct SavedTensors {
  std::map<ChainTensor, std::int64_t> tensors;  // bytes
  std::int64_t other_bytes = 0;

  [[nodiscard]] std::int64_t bytes() const;
};

/// Which tensor of the chain a pass of group number `place` names; nothing for z, masks and
/// gradients.
[[nodiscard]] std::optional<ChainTensor> chain_tensor(const Pass& pass, std::size_t place,
                                                      const StreamTypes& types);

/// Bytes of one pass.
[[nodiscard]] std::int64_t bytes_of(const Pass& pass, const OperationGroup& group);

/// Of all groups behind a layer.
[[nodiscard]] SavedTensors saved_tensors(const std::vector<OperationGroup>& groups);

}  // namespace stcsim
