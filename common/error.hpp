#pragma once

#include <stdexcept>
#include <string>

namespace stcsim {

/// A place in a user's file. Lines and columns count from 1; 0 means "not known".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  /// "file:line:column", leaving out what is not known.
  [[nodiscard]] std::string to_string() const;
};

/// The user gave something impossible: a wrong option, file, key or value. The program prints
/// what() on one line and exits with 2.
class ConfigError : public std::runtime_error {
 public:
  /// @param message what was wrong and what would be right, without a trailing newline; input
  ///        it repeats in quotes is cut to a length that can be read (excerpt.hpp)
  explicit ConfigError(const std::string& message);
  /// Prefixes the message with "file:line:column: error: ".
  ConfigError(const SourceLocation& where, const std::string& message);
};

/// The simulated machine could not finish (deadlock, broken invariant). Exit code 3.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stcsim
