#pragma once

#include <array>
#include <string_view>

namespace stcsim {

/// What an axis may begin with: what points are made of, and plain keys of experiments.
struct SpaceRoot {
  std::string_view name;
  /// The space's list of them; "" for a plain key.
  std::string_view list;
  bool of_gemms = false;
  bool of_steps = false;
};
/// In the order of the axes.
inline constexpr std::array<SpaceRoot, 16> kSpaceRoots{{
    {"machine", "machines", true, true},
    {"dtype", "", true, true},
    {"stack", "", true, true},
    {"kernel", "", true, true},
    {"kernel_candidates", "", true, true},
    {"clock_mhz", "", true, true},
    {"sampled", "", true, true},
    {"sparse_where", "", true, true},
    {"phases", "", false, true},
    {"stream_kernels", "", false, true},
    {"scheme_work", "", false, true},
    {"pruning_kernels", "", false, true},
    {"framework", "frameworks", false, true},
    {"network", "networks", false, true},
    {"scheme", "schemes", false, true},
    {"gemm", "gemms", true, false},
}};

/// Null if there is none of that name.
[[nodiscard]] const SpaceRoot* find_root(std::string_view name);

}  // namespace stcsim
