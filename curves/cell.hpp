#pragma once

#include <optional>
#include <string_view>

namespace stcsim::curves {

/// What a cell of a table of curves says.
struct Cell {
  enum class Kind { blank, number, text };
  Kind kind = Kind::blank;
  double number = 0;  // NaN and infinities too
};

/// Blank, NA, N/A, null, None and "-" are no value; nan and inf (however written) are numbers that
/// are not finite; anything else that is no decimal number, or one beyond the range of a double, is
/// text.
[[nodiscard]] Cell read_cell(std::string_view text);

}  // namespace stcsim::curves
