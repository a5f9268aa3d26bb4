#pragma once

#include <string_view>

namespace stcsim {

/// What a unit is: the name of its kind in statistics and lists, and one line for people. Every
/// core has one as `kKind`.
struct UnitKind {
  std::string_view name;
  std::string_view help;
};

}  // namespace stcsim
