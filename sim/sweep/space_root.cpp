#include "sim/sweep/space_root.hpp"

#include <algorithm>

#include "sim/sweep/space.hpp"

namespace stcsim {

const SpaceRoot* find_root(std::string_view name) {
  const auto found = std::find_if(kSpaceRoots.begin(), kSpaceRoots.end(),
                                  [&](const SpaceRoot& root) { return root.name == name; });
  return found == kSpaceRoots.end() ? nullptr : &*found;
}

bool concerns(const std::string& root, PointKind kind) {
  const SpaceRoot* const known = find_root(root);
  return known != nullptr && (kind == PointKind::gemm ? known->of_gemms : known->of_steps);
}

}  // namespace stcsim
