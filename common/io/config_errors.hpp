#pragma once

#include <string>
#include <vector>

#include "common/error.hpp"

namespace stcsim {

/// The errors that one is made of; of any other its what(), line breaks blank.
[[nodiscard]] std::vector<std::string> lines_of(const ConfigError& error);

/// Errors of a file, so that a reader goes on after one and tells all in the end.
class ConfigErrors {
 public:
  /// Equal ones count once.
  void add(const ConfigError& error);
  [[nodiscard]] bool any() const { return !lines_.empty(); }
  /// @throws ConfigError whose what() has a line for each error, if there are any
  void refuse() const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace stcsim
