#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/format.hpp"

namespace stcsim {

/// The text as a word of a shell.
[[nodiscard]] std::string shell_word(const std::string& text);

/// "next: stcsim explain ...", the command worth running after an answer, broken as a shell
/// continues a line.
/// @param parts  what stays on one line ("--arch a100"), in order
[[nodiscard]] std::string next_lines(const std::vector<std::string>& parts,
                                     std::size_t width = kAnyWidth);

}  // namespace stcsim
