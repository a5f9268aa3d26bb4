#pragma once

#include <string>
#include <string_view>

namespace stcsim {

/// The text with &, <, > and quotes written so that HTML shows them.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace stcsim
