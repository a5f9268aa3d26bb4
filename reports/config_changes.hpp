#pragma once

#include <string>
#include <vector>

namespace stcsim {

/// One key of a resolved configuration that has another value than before, or is new or gone.
struct ConfigChange {
  /// "dtype", or "machine a100: accelerator.l2_cache.read_bytes_per_clk"; entries of lists by their
  /// names where they have one, else by their index.
  std::string key;
  /// As JSON, cut to what can be read; "-" where there is none.
  std::string before;
  std::string now;

  friend bool operator==(const ConfigChange&, const ConfigChange&) = default;
};

/// What differs between two resolved experiments (Experiment::resolved_config), in their order.
[[nodiscard]] std::vector<ConfigChange> config_changes(const std::string& before,
                                                       const std::string& now);

/// A line per change, "key before -> now", of the first ten, and how many more there are.
[[nodiscard]] std::string changes_text(const std::vector<ConfigChange>& changes);

}  // namespace stcsim
