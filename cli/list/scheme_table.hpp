#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Which layers a scheme touches: "linear; attention, ffn"; "all".
[[nodiscard]] std::string layers_text(const LayerFilter& layers,
                                      const std::vector<LayerPattern>& patterns);

/// Which operand of which phase each scheme makes sparse, in which layers, for which share of
/// training.
[[nodiscard]] Table scheme_table(const std::vector<Scheme>& schemes);

}  // namespace stcsim
