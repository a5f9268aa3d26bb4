#include "sim/config/inherited_values.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/config/config_readers.hpp"
#include "sim/config/field_json.hpp"
#include "sim/config/stated_machine.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSm = "accelerator.sm.";
constexpr const char* kSharedMemory = "accelerator.sm.shared_memory";

/// What kernels are compiled for, of an SM: "shared_memory.capacity_bytes" of a path that begins so
/// inside `accelerator.sm`; "" if that is something else.
std::string key_of_software(std::string_view path) {
  constexpr std::array<std::string_view, 3> kMaps{"operand_selector.", "operand_fetch.",
                                                  "shared_memory."};
  constexpr std::array<std::string_view, 5> kKeys{"tensor_core.instructions", "registers",
                                                  "max_registers_per_thread", "max_warps",
                                                  "tensor_memory_bytes"};
  if (!path.starts_with(kSm)) return "";
  path.remove_prefix(kSm.size());
  for (const std::string_view map : kMaps) {
    if (path.starts_with(map)) return std::string(path.substr(0, path.find('.', map.size())));
  }
  for (const std::string_view key : kKeys) {
    if (path == key || path.starts_with(std::string(key) + ".")) return std::string(key);
  }
  return "";
}

/// The value of a key of the SM, measured intervals apart.
Json value_of(const Json& sm, std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  const Json::json_pointer place("/" + key);
  if (!sm.contains(place)) return {};
  Json value = sm.at(place);
  if (key.ends_with("instructions")) {
    for (Json& one : value) one.erase("interval_cycles");
  }
  return value;
}

/// The machine that `stated` is; nothing if that is none by itself.
std::optional<MachineConfig> read_whole(const YamlNode& stated) {
  try {
    MapReader map(stated, "");
    return read_machine(map);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// Changed keys of the SM that stacks of the machine `stated` were written for.
std::vector<std::string> other_hardware(const YamlNode& stated, const YamlNode& root,
                                        const MachineConfig& machine) {
  std::vector<std::string> changed;
  for (const ChangedValue& one : changed_values(stated, root)) {
    std::string key = key_of_software(one.path);
    const bool is_known = std::find(changed.begin(), changed.end(), key) != changed.end();
    if (!key.empty() && !is_known) changed.push_back(std::move(key));
  }
  if (changed.empty()) return {};
  const std::optional<MachineConfig> before = read_whole(stated);
  if (!before) return {};
  const Json then = to_json(before->accelerator.sm);
  const Json now = to_json(machine.accelerator.sm);
  std::erase_if(changed,
                [&](const std::string& key) { return value_of(then, key) == value_of(now, key); });
  return changed;
}

bool says_the_same(const YamlNode* left, const YamlNode* right) {
  if (left == nullptr || right == nullptr) return left == right;
  return left->text == right->text;
}

}  // namespace

void settle_shared_memory(const YamlNode& root, MachineConfig& machine) {
  const YamlNode& memory = *find_node(root, kSharedMemory);
  const YamlNode* const most = memory.find("max_bytes_per_cta");
  if (most == nullptr || !has_other_origin(memory, most->location.file)) return;
  const std::optional<YamlNode> stated = machine_stated_at(most->location);
  const YamlNode* const before = stated ? find_node(*stated, kSharedMemory) : nullptr;
  if (before == nullptr) return;
  for (const char* const key : {"capacity_bytes", "reserved_bytes_per_cta"}) {
    if (says_the_same(before->find(key), memory.find(key))) continue;
    SharedMemoryConfig& config = machine.accelerator.sm.shared_memory;
    config.max_bytes_per_cta = config.capacity_bytes - config.reserved_bytes_per_cta;
  }
}

void set_other_stacks_aside(const YamlNode& root, MachineConfig& machine) {
  if (machine.stacks.empty()) return;
  const SourceLocation& where = root.find("stacks")->location;
  if (!has_other_origin(*find_node(root, "accelerator.sm"), where.file)) return;
  const std::optional<YamlNode> stated = machine_stated_at(where);
  if (!stated) return;
  const std::vector<std::string> changed = other_hardware(*stated, root, machine);
  if (changed.empty()) return;
  machine.notes.push_back(
      fmt::format("{}: its default stack is '{}': those of {} were not written for its {} and run "
                  "only where they are named",
                  machine.name, kBestStack, std::filesystem::path(where.file).filename().string(),
                  fmt::join(changed, ", ")));
  machine.other_stacks.insert(machine.other_stacks.begin(),
                              std::make_move_iterator(machine.stacks.begin()),
                              std::make_move_iterator(machine.stacks.end()));
  machine.stacks.clear();
}

}  // namespace stcsim
