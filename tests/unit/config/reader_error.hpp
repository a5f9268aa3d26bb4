#pragma once

#include <string>

#include "common/io/yaml_reader.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {

/// The error of `read` on a map, or "no error".
template <class Read>
std::string error_in(const std::string& text, Read read) {
  const YamlDocument document = parse_yaml(text, "f.yaml");
  return error_of([&] {
    MapReader map(document);
    read(map);
  });
}

}  // namespace stcsim
