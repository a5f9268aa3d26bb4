#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/text_fit.hpp"
#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// "software of a100: nvidia (...)" for each machine.
[[nodiscard]] std::vector<std::string> validation_software(const ValidationResults& results);

/// What people read of instructions, networks and stream kernels, each with a title, and of the
/// machines' software;
/// "" if there are none.
[[nodiscard]] std::string validation_sections(const ValidationResults& results,
                                              std::size_t width = kAnyWidth);

/// The same in Markdown, for validation.md.
[[nodiscard]] std::string validation_sections_markdown(const ValidationResults& results);

}  // namespace stcsim
