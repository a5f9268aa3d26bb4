#include "tests/unit/workloads/shipped_configs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "common/io/yaml_merge.hpp"
#include "sim/config/network_config.hpp"
#include "sim/config/scheme_config.hpp"

namespace stcsim {
namespace {

const std::string kConfigs = std::string(STCSIM_SOURCE_DIR) + "/configs";

/// `extends: name` is looked up among the shipped configurations.
YamlDocument load(ConfigKind kind, const std::string& folder, const std::string& name) {
  setenv("STCSIM_CONFIG_DIR", kConfigs.c_str(), 1);
  return load_config(kind, kConfigs + "/" + folder + "/" + name + ".yaml");
}

}  // namespace

std::vector<std::string> shipped_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kConfigs + "/" + folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Network shipped_network(const std::string& name) {
  const YamlDocument document = load(ConfigKind::network, "networks", name);
  MapReader map(document);
  return read_network(map);
}

Scheme shipped_scheme(const std::string& name) {
  const YamlDocument document = load(ConfigKind::scheme, "schemes", name);
  MapReader map(document);
  return read_scheme(map);
}

const Layer& layer_named(const Network& network, const std::string& name) {
  for (const Layer& layer : network.layers) {
    if (layer.name == name) return layer;
  }
  throw std::out_of_range(network.name + " has no layer " + name);
}

}  // namespace stcsim
