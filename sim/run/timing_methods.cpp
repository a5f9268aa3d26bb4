#include "sim/run/timing_methods.hpp"

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {

std::filesystem::path shipped_timing_file() {
  return config_directory() / "validation" / "timing.yaml";
}

std::map<std::string, TimingMethod> read_timing_methods(const std::filesystem::path& path) {
  constexpr DoubleRange kMicroseconds{0, 1e6};
  const YamlDocument document = load_yaml(path);
  MapReader map(document);
  std::map<std::string, TimingMethod> methods;
  for (MapReader& entry : map.get_maps("timing")) {
    TimingMethod method;
    method.name = entry.get_string("name");
    method.overhead_us = entry.get_double_or("overhead_us", 0, kMicroseconds);
    method.least_us = entry.get_double_or("least_us", 0, kMicroseconds);
    if (entry.has("launch_us")) {
      method.launches.launch_us = entry.get_double("launch_us", kMicroseconds);
    }
    method.launches.same_operands = entry.get_bool_or("same_operands", false);
    if (entry.has("launches")) {
      method.launches.launches = entry.get_int("launches", {1, 1'000'000'000});
    }
    entry.finish();
    if (!methods.emplace(method.name, method).second) {
      entry.fail("name", "timing '" + method.name + "' is here a second time");
    }
  }
  map.finish();
  return methods;
}

}  // namespace stcsim
