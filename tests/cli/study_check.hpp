#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace stcsim {

/// The names of the shipped configurations in a folder of configs/.
[[nodiscard]] std::vector<std::string> shipped(const std::string& folder);

/// The JSON of a study: nothing failed, and every row took at least as long as what it moves takes
/// through every port of its machine.
void expect_complete(const nlohmann::json& study);

}  // namespace stcsim
