#pragma once

#include <string>
#include <vector>

namespace stcsim {

/// The descriptor of a file without a name, to be read from its beginning by another program; it
/// goes with this process.
/// @throws ConfigError if it cannot be written
[[nodiscard]] int nameless_file(const std::string& text);

/// Becomes `python3 -m MODULE WORDS` with the shipped Python package, which asks this program.
/// $STCSIM_PYTHON may name another Python.
/// @param input  its standard input; empty: it keeps this program's
/// @throws ConfigError if it cannot be started
[[noreturn]] void become_python(const std::string& module, std::vector<std::string> words,
                                const std::string& input = "");

}  // namespace stcsim
