#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

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
  ///        it repeats in quotes is cut to a length that can be read (cut_to_read)
  explicit ConfigError(const std::string& message);
  /// Prefixes the message with "file:line:column: error: ".
  ConfigError(const SourceLocation& where, const std::string& message);
};

/// The simulated machine could not finish (deadlock, broken invariant). Exit code 3.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text, or if it has more than `longest` bytes its beginning and its end with "…" between
/// them, together at most that long. Cuts between UTF-8 characters.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t longest);

/// A message as people can read it, whatever input it repeats: what stands between quotes is cut to
/// 80 bytes (with a '/' in it, which is a path as a rule, to 255), a word elsewhere to 255, and the
/// whole to 2000.
[[nodiscard]] std::string cut_to_read(std::string_view message);

}  // namespace stcsim
