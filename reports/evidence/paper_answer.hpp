#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stcsim {

/// What a figure of a paper, and ours beside it, is counted in. `ratio` is how many times as fast,
/// `points` are percentage points of difference.
enum class PaperUnit : std::uint8_t {
  ratio,
  percent,
  points,
  count,
  ms,
  us,
  tflops,
  cycles,
  bits,
  value
};

/// "ratio", "TFLOP/s", ...
[[nodiscard]] std::string_view to_string(PaperUnit unit);

/// "1.44x", "16.6 %", "+0.4 points", "1.23 ms", "120 TFLOP/s", "73728 cycles".
[[nodiscard]] std::string format_figure(PaperUnit unit, double value);
/// "15.0 % to 25.0 %", or one figure where both ends read alike.
[[nodiscard]] std::string format_range(PaperUnit unit, double least, double most);

/// What comes of a row in one column.
struct PaperAnswer {
  /// The column's name.
  std::string column;
  /// What it was simulated or computed on: "a100 with pytorch_eager".
  std::string where;
  double value = 0;
  /// Where the value lies, as far as that is known; else both are the value.
  double low = 0;
  double high = 0;
  /// Why it is what it is, in half a line; may be "".
  std::string because;
};

/// A figure as published: a range, or twice the same.
struct PublishedFigure {
  double least = 0;
  double most = 0;
};

/// What a row's figure is.
struct PaperQuantity {
  /// "gain of the GEMMs"
  std::string title;
  PaperUnit unit = PaperUnit::value;
  /// The figure of no effect: 1 of a gain, 0 of a saving or a difference. Nothing if it has no
  /// direction, as a time.
  std::optional<double> neutral;
};

}  // namespace stcsim
