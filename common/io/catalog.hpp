#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace stcsim {

/// Kinds of configuration files; each has its folder among the shipped ones.
enum class ConfigKind : std::uint8_t {
  machine,
  network,
  scheme,
  experiment,
  framework,
  space,
  cost
};

struct CatalogEntry {
  std::string name;  // the file's name without .yaml
  std::filesystem::path path;
};

/// Where the shipped configurations are: $STCSIM_CONFIG_DIR if set, else ../share/stcsim/configs
/// seen from the program's folder (installed), else ../configs (built inside the source tree).
/// @throws ConfigError if none of them is a directory
[[nodiscard]] std::filesystem::path config_directory();

/// The shipped configurations of a kind, sorted by name.
[[nodiscard]] std::vector<CatalogEntry> list_configs(ConfigKind kind);

/// The file a user means by `name`: a path relative to `base` if it contains a '/' or ends in
/// .yaml, .yml, .json or .csv, else the shipped configuration of that name. A name may be written
/// in another case as long as only one configuration is meant.
/// @param where stated in the error; an empty file name means "not known"
/// @throws ConfigError if there is no such file; an unknown name is answered with the nearest ones
[[nodiscard]] std::filesystem::path resolve_config(ConfigKind kind, const std::string& name,
                                                   const std::filesystem::path& base,
                                                   const SourceLocation& where = {});

/// Whether resolve_config() takes `name` for a path or for a shipped configuration.
[[nodiscard]] bool names_config(ConfigKind kind, const std::string& name);

/// Folder a path written at `where` is relative to: that of its file; the current one for a path
/// from the command line.
[[nodiscard]] std::filesystem::path base_directory(const SourceLocation& where);

}  // namespace stcsim
