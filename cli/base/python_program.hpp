#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace stcsim {

/// A file without a name with that text, to be read from its beginning by another program.
class NamelessFile {
 public:
  /// @throws ConfigError if it cannot be written
  explicit NamelessFile(const std::string& text);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  [[nodiscard]] int descriptor() const;

 private:
  std::FILE* file_;
};

/// Becomes `python3 -m MODULE WORDS` with the shipped Python package, which asks this program.
/// $STCSIM_PYTHON may name another Python.
/// @param input  its standard input; empty: it keeps this program's
/// @throws ConfigError if it cannot be started
[[noreturn]] void become_python(const std::string& module, std::vector<std::string> words,
                                const std::string& input = "");

}  // namespace stcsim
