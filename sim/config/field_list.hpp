#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/config_field.hpp"

namespace stcsim {

/// A key of a machine file and where it stands.
struct ListedField {
  /// The map it is in, as --set names it, `*` for an index: "accelerator.sm.tensor_core.
  /// instructions.*"; "" for the file's top level.
  std::string parent;
  Field field;
  /// The default as a file would say it, or in words; "required".
  std::string fallback;
  bool is_number = false;

  [[nodiscard]] std::string path() const;
};

/// Every key of a machine file, in the order of the documentation: the keys of a map before those
/// of the maps in it.
[[nodiscard]] std::vector<ListedField> machine_fields();

/// The tables of docs/configuration.md: one for each map, with a heading.
[[nodiscard]] std::string machine_fields_markdown();

/// Its tables of frameworks: as above, but what several maps have alike once.
[[nodiscard]] std::string framework_fields_markdown();

}  // namespace stcsim
