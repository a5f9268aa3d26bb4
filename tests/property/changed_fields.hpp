#pragma once

#include <string>
#include <vector>

namespace stcsim::test {

/// Changes every field of `operand_selector`, `operand_fetch` and `tensor_core` of a shipped
/// machine by --set, those that its file leaves out too, and multiplies on what comes of it.
/// Returns what is neither answered nor refused for its own sake, a line each: a refusal says the
/// key that was set, and no other field's measurement.
/// @param simulates  runs the GEMMs; else only their kernels are chosen
/// @param tried  the changes that were made
[[nodiscard]] std::vector<std::string> check_changed_fields(const std::string& machine,
                                                            bool simulates,
                                                            std::vector<std::string>& tried);

}  // namespace stcsim::test
