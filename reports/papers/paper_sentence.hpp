#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/papers/paper.hpp"

namespace stcsim {

/// A figure that Paper::result has in braces: ours of a column, or the published one.
struct SentenceFigure {
  /// Where the braces begin, and the character behind them.
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Counted from 0.
  std::size_t figure = 0;
  std::size_t row = 0;
  /// "" of the published one.
  std::string column;
};

/// In the sentence's order.
/// @throws ConfigError at it for braces that are not {FIGURE.ROW} or {FIGURE.ROW.COLUMN}
[[nodiscard]] std::vector<SentenceFigure> figures_in_sentence(const Paper& paper);

/// @throws ConfigError at the sentence: `name` is no figure that has been simulated
[[noreturn]] void fail_sentence(const Paper& paper, std::string_view name);

}  // namespace stcsim
