#pragma once

#include <string>

#include "common/io/yaml_reader.hpp"
#include "tests/unit/config/reader_error.hpp"

namespace stcsim::test {

/// What `read` makes of the map `text`, e.g. "{quantity: work, pattern: '2:4'}".
template <class Read>
auto row_in(const std::string& text, Read read) {
  const YamlDocument document = parse_yaml(text, "f.yaml");
  MapReader map(document);
  return read(map);
}

}  // namespace stcsim::test
