#pragma once

#include <cstdint>
#include <string_view>

#include "pruning/prune.hpp"
#include "pruning/prune_summary.hpp"

namespace stcsim::pruning {

/// What to find out about a pruned tensor beyond comparing it with the original.
struct SummaryOptions {
  std::int64_t draws = 16;  // of schemes that draw, at least 2
  bool optimum = true;      // solve transposable blocks for the optimum
};

/// The figures of `pruned`, which is prune(tensor, name, options). `input`, `files` and the
/// configuration are left to the caller.
[[nodiscard]] PruneSummary summarise(const Tensor& tensor, const Pruned& pruned,
                                     std::string_view name, const PruneOptions& options,
                                     const SummaryOptions& what);

}  // namespace stcsim::pruning
