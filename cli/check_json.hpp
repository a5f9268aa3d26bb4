#pragma once

#include <string>
#include <vector>

#include "cli/study_command.hpp"
#include "reports/config_changes.hpp"
#include "reports/golden.hpp"

namespace stcsim {

/// The golden file that is checked, the relative difference that is tolerated, and with what
/// software.
struct CheckedFile {
  std::string name;
  double rtol = 0;
  std::vector<MachineStack> stacks;
};

/// What `stcsim check --format json` prints: head, file, rtol, number of recorded figures,
/// software, the keys of the configuration that have changed, and one object per difference;
/// `golden` and `now` are null where there is no figure, `relative` where it is infinite.
[[nodiscard]] std::string check_to_json(const CheckedFile& file, const Golden& golden,
                                        const std::vector<ConfigChange>& changes,
                                        const std::vector<GoldenDifference>& differences);

}  // namespace stcsim
