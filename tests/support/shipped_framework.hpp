#pragma once

#include <cstdlib>
#include <string>

#include "common/io/yaml_merge.hpp"
#include "sim/config/framework_config.hpp"

namespace stcsim::test {

/// configs/frameworks/<name>.yaml of the source tree.
inline Framework shipped_framework(const std::string& name) {
  const std::string configs = STCSIM_SOURCE_DIR "/configs";
  setenv("STCSIM_CONFIG_DIR", configs.c_str(), 1);
  const YamlDocument document = load_config(
      ConfigKind::framework, std::filesystem::path(configs) / "frameworks" / (name + ".yaml"));
  MapReader map(document);
  return read_framework(map);
}

}  // namespace stcsim::test
