#include "sim/config/network_config.hpp"

#include <set>
#include <string>

#include "common/io/named_file.hpp"
#include "sim/config/field_reader.hpp"
#include "workloads/network_graph.hpp"

namespace stcsim {
namespace {

void check_layers(MapReader& map, Network& network) {
  const std::vector<MapReader> entries = map.get_maps("layers");
  std::set<std::string> names;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    Layer& layer = network.layers[at];
    if (!layer.has_product()) layer.needs_dgrad = false;
    const std::string fault = find_fault(layer, network.batch);
    if (!fault.empty()) {
      throw ConfigError(entries[at].location(), "layer '" + layer.name + "': " + fault);
    }
    if (names.insert(layer.name).second) continue;
    entries[at].fail(
        "name", "layer '" + layer.name + "' is there twice; use 'repeat' for identical layers");
  }
  if (network.layers.empty()) map.fail("layers", "a network needs at least one layer");
}

}  // namespace

Network read_network(MapReader& map) {
  Network network = read_fields<Network>(map);
  check_file_name(map, network.name);
  check_layers(map, network);
  const std::string fault = find_graph_fault(network);
  if (!fault.empty()) map.fail("layers", fault);
  return network;
}

}  // namespace stcsim
