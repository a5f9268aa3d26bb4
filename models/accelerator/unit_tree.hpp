#pragma once

#include <string>
#include <vector>

namespace stcsim {

/// A unit of the block diagram and what is inside it, for people.
struct UnitTree {
  std::string name;
  std::string kind;
  std::string help;
  std::vector<UnitTree> children;
};

}  // namespace stcsim
