#pragma once

#include <string>
#include <vector>

#include "workloads/layer.hpp"

namespace stcsim {

/// Names of the files in configs/<folder>, without .yaml, sorted.
[[nodiscard]] std::vector<std::string> shipped_names(const std::string& folder);

/// The layer of that name; fails the test by an exception if there is none.
[[nodiscard]] const Layer& layer_named(const Network& network, const std::string& name);

}  // namespace stcsim
