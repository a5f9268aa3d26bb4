#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim {

/// Fewest insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment). Letter case does not count.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'x'?" with the candidate most like `word` (the first of equals), or "" if none
/// is like it: at most a third of the letters may differ, but always one.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);

/// Up to `count` candidates, most like `word` first.
[[nodiscard]] std::vector<std::string> nearest(std::string_view word,
                                               std::vector<std::string> candidates,
                                               std::size_t count);

/// Whether two names are the same but for the case of ASCII letters.
[[nodiscard]] bool same_but_case(std::string_view left, std::string_view right);

/// The letters and digits of a text, in lower case: what is left of a name however it is written.
[[nodiscard]] std::string letters_of(std::string_view text);

}  // namespace stcsim
