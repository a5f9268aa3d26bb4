#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// A GEMM of a study that ran sparse, by the names of its result.
struct WorstGemm {
  std::string machine;
  std::string network;
  std::string layer;
  std::string phase;
  std::string scheme;
  /// Of several GEMMs the longest, from 0.
  std::size_t part = 0;
  /// Clock that the study ran it at.
  double clock_mhz = 0;
};

/// The `count` GEMMs of a document of stcsim.study/2 that lose most cycles of a step against the
/// ideal, dense cycles · n/m, the largest loss first; the same problem on the same machine once,
/// with the losses of all its results.
/// @param study  as page_document() accepts it
[[nodiscard]] std::vector<WorstGemm> worst_gemms(const nlohmann::ordered_json& study,
                                                 std::size_t count);

}  // namespace stcsim
