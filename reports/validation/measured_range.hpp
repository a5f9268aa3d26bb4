#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace stcsim {

/// The least and the most of several measurements that a row's note states: the numbers after
/// "least " and "most ", in the unit of the row's values. Nothing unless both are there.
[[nodiscard]] std::optional<std::pair<double, double>> measured_range_in(std::string_view note);

}  // namespace stcsim
