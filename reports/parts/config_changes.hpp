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

/// What differs between two resolved configurations, of experiments or GEMMs, in their order. Where
/// both have one machine, network or scheme, it is the same one under another name.
[[nodiscard]] std::vector<ConfigChange> config_changes(const std::string& before,
                                                       const std::string& now);

}  // namespace stcsim
