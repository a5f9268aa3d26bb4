#pragma once

#include <string_view>

namespace stcsim {

/// The program's version, "0.1.0", as every output file states it.
[[nodiscard]] std::string_view program_version();

}  // namespace stcsim
