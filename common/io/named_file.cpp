#include "common/io/named_file.hpp"

namespace stcsim {

std::string file_named_by(MapReader& map, ConfigKind kind, std::string_view key) {
  const std::string name = map.get_string(key);
  const SourceLocation where = map.location_of(key);
  return name.empty() ? name : resolve_config(kind, name, base_directory(where), where).string();
}

bool is_file_name(std::string_view name) {
  return name.find('/') == std::string_view::npos && name != "." && name != "..";
}

void check_file_name(const MapReader& map, const std::string& name) {
  if (is_file_name(name)) return;
  map.fail("name", "'name' is '" + name + "', must be the name of a file: no '/', not . or ..");
}

}  // namespace stcsim
