#include "tests/unit/workloads/shipped_configs.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace stcsim {

std::vector<std::string> shipped_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(STCSIM_SOURCE_DIR "/configs/" + folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

const Layer& layer_named(const Network& network, const std::string& name) {
  for (const Layer& layer : network.layers) {
    if (layer.name == name) return layer;
  }
  throw std::out_of_range(network.name + " has no layer " + name);
}

}  // namespace stcsim
