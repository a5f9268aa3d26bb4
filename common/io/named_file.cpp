#include "common/io/named_file.hpp"

namespace stcsim {

std::string file_named_by(MapReader& map, ConfigKind kind, std::string_view key) {
  const std::string name = map.get_string(key);
  const SourceLocation where = map.location_of(key);
  return name.empty() ? name : resolve_config(kind, name, base_directory(where), where).string();
}

}  // namespace stcsim
