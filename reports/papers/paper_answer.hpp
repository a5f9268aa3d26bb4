#pragma once

#include <cstdint>
#include <string>

namespace stcsim {

/// What a figure of a publication is in.
enum class PaperUnit : std::uint8_t {
  ratio,
  percent,
  points,  // percentage points
  count,
  ms,
  us,
  s,
  tflops,
  cycles,
  bits,
  value  // a plain number
};

/// What we get for a published figure.
struct PaperAnswer {
  /// Heading of the table's column: "computed", "our training", a machine's name.
  std::string column;
  /// On what: "normal 256x256, seeds 1 to 5".
  std::string where;
  double value = 0;
  /// The interval around it; both are the value where there is none.
  double low = 0;
  double high = 0;
  /// What else there is to say; "" if nothing.
  std::string because;
};

}  // namespace stcsim
