#pragma once

#include <nlohmann/json.hpp>

#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// The network in the format read_network() reads, every key written out, keys sorted. Imported
/// networks (SCALE-Sim) take the same way as YAML ones through it.
[[nodiscard]] nlohmann::json to_json(const Network& network);

/// The scheme in the format read_scheme() reads, every key written out, keys sorted.
[[nodiscard]] nlohmann::json to_json(const Scheme& scheme);

}  // namespace stcsim
