#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/scheme.hpp"

namespace stcsim {

/// One of a scheme's own kernels for one layer: choosing, sampling, compressing, decaying.
struct SchemeKernel {
  StreamKernel kernel;
  /// Runs once in so many training steps.
  std::int64_t every = 1;
  /// See SchemeWork.
  bool casts = false;
};

/// The scheme's own work for one repeat of `layer` in `phase`, `batch` samples, 16-bit values:
/// empty for layers the scheme does not touch and for phases the layer does not have. A pass reads
/// or writes the whole tensor; a compressed pass the kept values and their metadata.
[[nodiscard]] std::vector<SchemeKernel> scheme_kernels(const Scheme& scheme, const Layer& layer,
                                                       Phase phase, std::int64_t batch);

/// The pattern to which the scheme prunes a tensor; dense if it does not.
[[nodiscard]] Pattern pattern_of(const Scheme& scheme, Tensor tensor);

}  // namespace stcsim
