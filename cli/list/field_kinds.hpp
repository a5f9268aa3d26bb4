#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/field_list.hpp"

namespace stcsim {

/// A kind of file, or of map in one, whose keys stand in a table.
struct FieldKind {
  std::string_view name;
  /// Of its JSON Schema.
  std::string_view title;
  std::vector<ListedField> (*fields)() = nullptr;
  nlohmann::ordered_json (*schema)(std::string_view title) = nullptr;
};

/// All of them, machines first.
[[nodiscard]] std::span<const FieldKind> field_kinds();

}  // namespace stcsim
