#include "models/base/unit.hpp"

#include <algorithm>

namespace stcsim {

Unit::Unit(const sc_core::sc_module_name& name, const UnitKind& kind)
    : sc_module(name), kind_(kind), basename_(basename()) {
  if (auto* const parent = dynamic_cast<Unit*>(get_parent_object())) {
    parent->children_.push_back(this);
  }
}

std::vector<Unit*> sorted_children(const Unit& unit) {
  std::vector<Unit*> sorted = unit.children();
  std::sort(sorted.begin(), sorted.end(),
            [](const Unit* a, const Unit* b) { return a->basename_ < b->basename_; });
  return sorted;
}

}  // namespace stcsim
