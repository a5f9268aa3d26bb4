#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/format.hpp"
#include "reports/page/page_document.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::string_view kTitleMark = "@TITLE@";
constexpr std::string_view kDataMark = "@DATA@";

/// JSON that no HTML parser takes for a tag: '<' only occurs inside texts.
std::string embeddable(const ordered_json& value) {
  const std::string json = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace

fs::path page_shell_file() {
  const fs::path program_folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = program_folder.parent_path() / "share/stcsim/page/report.html";
  const fs::path built = program_folder / "page/report.html";
  std::error_code ignored;
  for (const fs::path& path : {installed, built}) {
    if (fs::is_regular_file(path, ignored)) return path;
  }
  throw ConfigError(fmt::format("the page's shell is missing: neither {} nor {} is a file",
                                installed.string(), built.string()));
}

std::string page_html(std::string_view shell, const std::string& title,
                      const ordered_json& documents) {
  const std::size_t title_place = shell.find(kTitleMark);
  const std::size_t data_place = shell.find(kDataMark);
  if (title_place == std::string_view::npos || data_place == std::string_view::npos ||
      data_place < title_place) {
    throw ConfigError("the page's shell has no places for title and data");
  }
  const std::size_t behind_title = title_place + kTitleMark.size();
  std::string page(shell.substr(0, title_place));
  page += html_text(title);
  page += shell.substr(behind_title, data_place - behind_title);
  page += embeddable({{"documents", documents}});
  page += shell.substr(data_place + kDataMark.size());
  return page;
}

}  // namespace stcsim
