#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// The page's shell, which the build makes of page/: ../share/stcsim/page/report.html seen from the
/// program's folder (installed), else page/report.html in that folder (built).
/// @throws ConfigError if neither is a file
[[nodiscard]] std::filesystem::path page_shell_file();

/// The shell with title and data filled in. Whatever the texts in the data are, they stay data:
/// '<' is written as \u003c.
/// @param shell has @TITLE@ and, behind it, @DATA@
/// @param documents an array of what page_document() returns
/// @throws ConfigError if the shell lacks one of them
[[nodiscard]] std::string page_html(std::string_view shell, const std::string& title,
                                    const nlohmann::ordered_json& documents);

}  // namespace stcsim
