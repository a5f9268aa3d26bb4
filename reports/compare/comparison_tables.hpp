#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/compare/comparison.hpp"

namespace stcsim {

/// "+4.9": how many per cent more `now` is than `before`, which is not 0.
[[nodiscard]] std::string percent_changed(double before, double now);

/// A line per step.
[[nodiscard]] Table compared_steps_table(const std::vector<ComparedStep>& steps);
/// A line for each of the first `count` of a comparison's rows; machine, network and scheme where
/// there are several.
[[nodiscard]] Table compared_rows_table(const Comparison& comparison, std::size_t count);

}  // namespace stcsim
