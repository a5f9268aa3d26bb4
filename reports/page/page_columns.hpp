#pragma once

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// An array of objects by columns, a tenth of its size: {"rows": count, "columns": {key: column}}.
/// Keys of nested objects are joined by dots ("kernel.name"), arrays stay values. A column is an
/// array with a value per row, {"all": value} where all are the same, or, where few differ,
/// {"values": [...], "index": [...]}. null stands for a key that a row lacks.
[[nodiscard]] nlohmann::ordered_json columns_of(const nlohmann::ordered_json& rows);

/// A study's result as the page needs it: without what follows from other keys (`time_us`,
/// `speedup`, `tile`, the kernel's tile), `utilization` and `kernel.waves` with six significant
/// digits, and instead of `buckets` an object `waits` with each bucket's share of its unit in
/// thousandths, rounded.
[[nodiscard]] nlohmann::ordered_json page_result(const nlohmann::ordered_json& result);

}  // namespace stcsim
