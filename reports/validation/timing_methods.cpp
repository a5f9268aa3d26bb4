#include "reports/validation/timing_methods.hpp"

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {

std::filesystem::path shipped_timing_file() {
  return config_directory() / "validation" / "timing.yaml";
}

std::map<std::string, double> read_timing_overheads(const std::filesystem::path& path) {
  const YamlDocument document = load_yaml(path);
  MapReader map(document);
  std::map<std::string, double> overheads;
  for (MapReader& entry : map.get_maps("timing")) {
    const std::string name = entry.get_string("name");
    const double microseconds = entry.get_double("overhead_us", {0, 1e6});
    entry.finish();
    if (!overheads.emplace(name, microseconds).second) {
      entry.fail("name", "timing '" + name + "' is here a second time");
    }
  }
  map.finish();
  return overheads;
}

}  // namespace stcsim
