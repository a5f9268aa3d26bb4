#pragma once

#include <string>
#include <string_view>

namespace stcsim {

/// SHA-256 of the bytes, in lower-case hexadecimal (NIST FIPS 180-4).
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace stcsim
