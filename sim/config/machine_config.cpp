#include "sim/config/machine_config.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/field_reader.hpp"
#include "common/suggestion.hpp"
#include "sim/config/machine.hpp"
#include "sim/config/stated_machine.hpp"

namespace stcsim {
namespace {

/// Whether a kernel can be used on the hardware is not asked here: one that cannot is no candidate.
void check_kernel(const MapReader& map, const KernelConfig& kernel) {
  if (kernel.tile_m % kernel.warps_m != 0 || kernel.tile_n % kernel.warps_n != 0) {
    map.fail("warps", fmt::format("'warps' is [{}, {}], must divide the tile's {} rows and {} "
                                  "columns",
                                  kernel.warps_m, kernel.warps_n, kernel.tile_m, kernel.tile_n));
  }
  if (kernel.warps_m % kernel.b_shared_by_warps != 0) {
    map.fail("b_shared_by_warps",
             fmt::format("'b_shared_by_warps' is {}, must divide the {} warps along m",
                         kernel.b_shared_by_warps, kernel.warps_m));
  }
}

void check_kernels(MapReader& map, const MachineConfig& machine) {
  std::vector<MapReader> entries = map.get_maps("kernels");
  if (map.has("more_kernels")) {
    for (const MapReader& entry : map.get_maps("more_kernels")) entries.push_back(entry);
  }
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const KernelConfig& kernel = machine.kernels[at];
    check_kernel(entries[at], kernel);
    const auto same_name = [&](const KernelConfig& other) { return other.name == kernel.name; };
    if (&*std::find_if(machine.kernels.begin(), machine.kernels.end(), same_name) == &kernel) {
      continue;
    }
    entries[at].fail("name", fmt::format("kernel '{}' is here a second time", kernel.name));
  }
}

void check_library(MapReader& map, const LibraryConfig& library) {
  const std::vector<MapReader> entries = map.get_maps("kernels");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    check_kernel(entries[at], library.kernels[at].kernel);
    const std::string& by = library.kernels[at].chosen_by;
    if (by.empty() || by == kByRule || by == kBySearch) continue;
    entries[at].fail("chosen_by",
                     fmt::format("'chosen_by' is '{}', must be {} or {}", by, kByRule, kBySearch));
  }
}

void check_libraries(MapReader& map, const MachineConfig& machine) {
  if (machine.libraries.empty()) return;
  std::vector<MapReader> entries = map.get_maps("libraries");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const LibraryConfig& library = machine.libraries[at];
    const auto same_name = [&](const LibraryConfig& other) { return other.name == library.name; };
    if (&*std::find_if(machine.libraries.begin(), machine.libraries.end(), same_name) != &library) {
      entries[at].fail("name", fmt::format("library '{}' is here a second time", library.name));
    }
    check_library(entries[at], library);
  }
}

bool has_kernels_of(const LibraryConfig& library, bool sparse) {
  return std::any_of(library.kernels.begin(), library.kernels.end(),
                     [&](const LibraryKernel& one) { return one.kernel.sparse == sparse; });
}

void check_source(const MapReader& map, const char* key, const std::string& source, bool sparse,
                  const MachineConfig& machine) {
  if (source == kOwnKernels) return;
  const auto library = std::ranges::find(machine.libraries, source, &LibraryConfig::name);
  if (library == machine.libraries.end()) {
    std::vector<std::string> names = machine.library_names();
    names.emplace_back(kOwnKernels);
    map.fail(key, fmt::format("'{}' is '{}', must be one of {}{}", key, source,
                              fmt::join(names, ", "), did_you_mean(source, names)));
  }
  if (has_kernels_of(*library, sparse)) return;
  map.fail(key, fmt::format("'{}' is '{}', which has no {} kernel", key, source,
                            sparse ? "sparse" : "dense"));
}

void check_choice(const MapReader& map, const char* key, const std::string& choice) {
  if (choice == kByHeuristic || choice == kByWholeWaves || choice == kBySearch) return;
  map.fail(key, fmt::format("'{}' is '{}', must be {}, {} or {}", key, choice, kByHeuristic,
                            kByWholeWaves, kBySearch));
}

void check_stacks(MapReader& map, const MachineConfig& machine) {
  std::vector<MapReader> entries;
  std::vector<StackConfig> stacks = machine.stacks;
  stacks.insert(stacks.end(), machine.other_stacks.begin(), machine.other_stacks.end());
  for (const char* const key : {"stacks", "other_stacks"}) {
    if (!map.has(key)) continue;
    for (const MapReader& entry : map.get_maps(key)) entries.push_back(entry);
  }
  std::vector<std::string> names{kBestStack};
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const MapReader& entry = entries[at];
    const StackConfig& stack = stacks[at];
    if (std::find(names.begin(), names.end(), stack.name) != names.end()) {
      entry.fail("name", stack.name == kBestStack
                             ? fmt::format("stack '{}' is every machine's own, must have another "
                                           "name",
                                           kBestStack)
                             : fmt::format("stack '{}' is here a second time", stack.name));
    }
    names.push_back(stack.name);
    check_source(entry, "dense", stack.dense, false, machine);
    check_source(entry, "sparse", stack.sparse, true, machine);
    check_choice(entry, "dense_choice", stack.dense_choice);
    check_choice(entry, "sparse_choice", stack.sparse_choice);
    if (stack.convolutions.empty()) {
      if (stack.convolutions_choice.empty()) continue;
      entry.fail("convolutions_choice",
                 "'convolutions_choice' is for 'convolutions', must stand beside it");
    }
    check_source(entry, "convolutions", stack.convolutions, false, machine);
    check_choice(entry, "convolutions_choice", stack.convolutions_choice);
  }
}

void check_kernel_space(const MapReader& map, const MachineConfig& machine) {
  if (machine.kernel_space == KernelSpaceConfig()) return;
  if (!kernels_of(machine.kernel_space).empty()) return;
  map.fail("kernel_space",
           "'kernel_space' has no kernel whose warps divide its tile, must have at least one");
}

/// A board that draws its limit when idle has no clock to run at.
void check_power(const MapReader& power, const PowerConfig& config) {
  if (config.limit_watts == 0 || config.limit_watts >= config.idle_watts) return;
  power.fail("limit_watts", fmt::format("'limit_watts' is {}, must be 0 (no limit) or at least "
                                        "'idle_watts', which is {}",
                                        config.limit_watts, config.idle_watts));
}

MachineConfig read_as_written(MapReader& map) {
  MachineConfig machine = read_fields<MachineConfig>(map);
  machine.kernels.insert(machine.kernels.end(), machine.more_kernels.begin(),
                         machine.more_kernels.end());
  machine.more_kernels.clear();
  settle_shared_memory(map.node(), machine);
  if (map.has("power")) check_power(map.get_map("power"), machine.power);
  MapReader accelerator = map.get_map("accelerator");
  check_accelerator(accelerator, machine.accelerator);
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  for (MmaInstruction& one : sm.tensor_core.instructions) {
    one.metadata = sm.operand_selector.metadata_format();
  }
  check_interval_expectations(map.node(), machine);
  check_kernels(map, machine);
  check_kernel_space(map, machine);
  check_libraries(map, machine);
  check_stacks(map, machine);
  if (machine.split_k.empty() || machine.split_k.front() != 1 ||
      !std::is_sorted(machine.split_k.begin(), machine.split_k.end(), std::less_equal<>())) {
    map.fail("split_k", "'split_k' must begin with 1 and ascend");
  }
  set_other_stacks_aside(map.node(), machine);
  return machine;
}

bool can_be_read(const YamlNode& machine) {
  try {
    MapReader map(machine, "");
    static_cast<void>(read_as_written(map));
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

}  // namespace

/// What a file inherits is right by itself: an error there is of what the file changes.
MachineConfig read_machine(MapReader& map) {
  try {
    return read_as_written(map);
  } catch (const ConfigError& error) {
    const auto moved = at_what_changed(map.node(), placed_message(error), &can_be_read);
    if (!moved) throw;
    throw ConfigError(*moved);
  }
}

}  // namespace stcsim
