#pragma once

#include <filesystem>
#include <vector>

#include "reports/validation/network_result.hpp"

namespace stcsim {

/// Reads a table of measured networks. Columns as published: source, gpu, dtype (a missing one is
/// taken as fp16), network, config, phase, dense, sparse, unit (s, ms, us, or samples per second:
/// seq/s, images/s, img/s), speedup ("1.5", "1.3-1.5", "up to 1.3"), pattern. Columns that say how
/// to simulate it: model (a network file's name), batch (sizes with ';' between them), phases
/// (inference, or names with ';' between them), scheme, scope (step, passes, sparse_gemms,
/// sparse_layers, best_layer, scheme_work), not_simulated (why it is not). May be left
/// out: framework (whose kernels run beside the GEMMs; ideal if empty), accumulation (steps for
/// each update of the parameters), optimizer (the network's if empty),
/// clock_mhz (of the card that was measured; the machine's if
/// empty), `note`.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredNetwork> read_measured_networks(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

}  // namespace stcsim
