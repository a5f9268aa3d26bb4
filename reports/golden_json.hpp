#pragma once

#include <string>
#include <string_view>

#include "reports/golden.hpp"

namespace stcsim {

inline constexpr std::string_view kGoldenSchema = "stcsim.golden/1";

/// A golden file: one line per entry, so that a change of one figure changes one line.
[[nodiscard]] std::string golden_to_json(const Golden& golden);

/// Reads a golden file back; entries are sorted, however the file had them.
/// @param file name for error messages
/// @throws ConfigError naming what is malformed, missing or of the wrong type, or if there are no
///   entries: such a file could not fail
[[nodiscard]] Golden golden_from_json(std::string_view text, const std::string& file);

}  // namespace stcsim
