#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stcsim {

/// The text, or if it has more than `longest` bytes its beginning and its end with "…" between
/// them, together at most that long. Cuts between UTF-8 characters.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t longest);

/// A message as people can read it, whatever input it repeats: what stands between quotes is cut to
/// 80 bytes (with a '/' in it, which is a path as a rule, to 255), a word elsewhere to 255, and the
/// whole to 2000.
[[nodiscard]] std::string cut_to_read(std::string_view message);

}  // namespace stcsim
