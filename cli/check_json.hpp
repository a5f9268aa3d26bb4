#pragma once

#include <string>
#include <vector>

#include "reports/config_changes.hpp"
#include "reports/golden.hpp"

namespace stcsim {

/// The golden file that is checked, and the relative difference that is tolerated.
struct CheckedFile {
  std::string name;
  double rtol = 0;
};

/// What `stcsim check --format json` prints: head, file, rtol, number of recorded figures, the keys
/// of the configuration that have changed, and one object per difference; `golden` and `now` are
/// null where there is no figure, `relative` where it is infinite.
[[nodiscard]] std::string check_to_json(const CheckedFile& file, const Golden& golden,
                                        const std::vector<ConfigChange>& changes,
                                        const std::vector<GoldenDifference>& differences);

}  // namespace stcsim
