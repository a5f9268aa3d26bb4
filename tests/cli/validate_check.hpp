#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// What `stcsim evidence rows` with these arguments prints as JSON; fails the test unless it is
/// fine.
/// @param configs  the folder of machine files and tables, if not that of the program
[[nodiscard]] nlohmann::json validated(std::vector<std::string> arguments,
                                       const std::string& configs = "");

/// Every GEMM of `rows` has an error and a command, or a reason why it was skipped.
void expect_predicted_or_skipped(const nlohmann::json& rows);

}  // namespace stcsim
