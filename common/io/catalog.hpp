#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {

/// Kinds of configuration files; each has its folder among the shipped ones.
enum class ConfigKind : std::uint8_t {
  machine,
  network,
  scheme,
  experiment,
  framework,
  space,
  cost,
  system,
  library,
  model
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
/// .yaml, .yml, .json, .csv, .onnx or .gz, standard input if it is "-", else the shipped
/// configuration of that name. A name may be written in another case as long as only one
/// configuration is meant.
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

/// The configuration file that the value of a key means (resolve_config): a shipped name, or a path
/// relative to the file it stands in. "" if the key is missing, which finish() reports.
[[nodiscard]] std::string file_named_by(MapReader& map, ConfigKind kind, std::string_view key);

/// Whether a file or folder of this name can only lie where it is made: no '/', neither . nor ..
[[nodiscard]] bool is_file_name(std::string_view name);

/// Refuses the value of `name` if files and folders of results cannot be called by it.
void check_file_name(const MapReader& map, const std::string& name);

}  // namespace stcsim
