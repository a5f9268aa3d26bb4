#pragma once

#include <cstddef>
#include <string>

#include "sim/design/design.hpp"

namespace stcsim {

/// The answer for people: what was asked, the machine, what each resource is to it, and the way up.
[[nodiscard]] std::string design_text(const Design& design, std::size_t width);
/// The same in Markdown.
[[nodiscard]] std::string design_markdown(const Design& design);

/// stcsim.design/1 (docs/configuration.md).
[[nodiscard]] std::string design_to_json(const Design& design);

}  // namespace stcsim
