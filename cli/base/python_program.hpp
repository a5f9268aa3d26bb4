#pragma once

#include <string>
#include <vector>

namespace stcsim {

/// Becomes `python3 -m MODULE WORDS` with the shipped Python package, which asks this program.
/// $STCSIM_PYTHON may name another Python.
/// @param input for its standard input; empty: it keeps this program's
/// @throws ConfigError if it cannot be started
[[noreturn]] void become_python(const std::string& module, std::vector<std::string> words,
                                const std::string& input = "");

}  // namespace stcsim
