#include "reports/validation/measurement_setup.hpp"

#include <array>

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/letter_case.hpp"

namespace stcsim {
namespace {

/// The part of a GPU's name that counts.
std::string key_of(std::string_view gpu) {
  std::string key = letters_of(gpu);
  constexpr std::array<std::string_view, 2> kOfNoAccount{"nvidia", "geforce"};
  for (const std::string_view word : kOfNoAccount) {
    if (key.starts_with(word)) key.erase(0, word.size());
  }
  return key;
}

}  // namespace

GpuMachines::GpuMachines(const std::filesystem::path& path) {
  const YamlDocument document = load_yaml(path);
  MapReader map(document);
  for (MapReader& entry : map.get_maps("gpus")) {
    const std::string name = entry.get_string("name");
    const std::string machine = entry.get_string("machine");
    entry.finish();
    if (!machines_.emplace(key_of(name), machine).second) {
      entry.fail("name", "GPU '" + name + "' is here a second time");
    }
  }
  if (map.has("set_by_counters")) {
    for (MapReader& entry : map.get_maps("set_by_counters")) {
      set_by_counters_[entry.get_string("machine")] = entry.get_string_list("numbers");
      entry.finish();
    }
  }
  map.finish();
}

const std::string* GpuMachines::machine_of(std::string_view gpu) const {
  const auto machine = machines_.find(key_of(gpu));
  return machine == machines_.end() ? nullptr : &machine->second;
}

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
