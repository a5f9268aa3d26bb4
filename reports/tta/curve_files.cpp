#include "reports/tta/curve_files.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <glob.h>

#include "common/io/catalog.hpp"
#include "common/io/yaml_value.hpp"

namespace stcsim {

std::vector<std::filesystem::path> matching_files(const std::string& pattern,
                                                  const SourceLocation& where) {
  const std::filesystem::path full = base_directory(where) / pattern;
  glob_t found{};
  std::vector<std::filesystem::path> files;
  if (::glob(full.lexically_normal().c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

std::vector<std::filesystem::path> read_curve_files(const YamlNode& node) {
  const std::vector<YamlNode> patterns = node.is_list() ? node.items : std::vector{node};
  std::vector<std::filesystem::path> files;
  for (const YamlNode& item : patterns) {
    const std::string pattern = read_string(item, "curves");
    const auto matching = matching_files(pattern, item.location);
    if (matching.empty()) {
      throw ConfigError(
          item.location,
          fmt::format("'curves' is '{}', which no file matches, must name files that are there, "
                      "from the folder of this file on",
                      pattern));
    }
    for (const auto& file : matching) {
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
  }
  return files;
}

}  // namespace stcsim
