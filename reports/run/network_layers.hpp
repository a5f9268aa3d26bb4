#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "common/io/format.hpp"
#include "common/phase.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

inline constexpr const char* kLayersSchema = "stcsim.layers/1";

/// One dense GEMM of a network's training step, of one repeat of its layer.
struct LayerGemm {
  const Layer* layer;
  Phase phase;
  /// Which of the phase's GEMMs, from 0 (strided dgrad: one per class of pixels).
  std::int64_t part = 0;
  GemmProblem gemm;
};

/// All of them, layer by layer and phase by phase. They point into `network`.
[[nodiscard]] std::vector<LayerGemm> layer_gemms(const Network& network);

/// The network's size in the first lines, then a line per GEMM, then totals of the step.
[[nodiscard]] std::string layers_text(const Network& network, std::size_t width = kAnyWidth);
/// `stcsim.layers/1`, see docs/reference/results.md.
[[nodiscard]] std::string layers_to_json(const Network& network);
/// A line per GEMM.
[[nodiscard]] std::string layers_to_csv(const Network& network);

}  // namespace stcsim
