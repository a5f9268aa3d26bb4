#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/field_json.hpp"
#include "models/sub_core/sub_core.hpp"
#include "sim/config/machine_config.hpp"
#include "sim/config/stated_machine.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

constexpr const char* kSharedMemory = "accelerator.sm.shared_memory";

/// What kernels are compiled for. Measured intervals are no part of it.
Json compiled_for(const MachineConfig& machine) {
  const Json sm = to_json(machine.accelerator.sm);
  Json parts{{"tensor_core", {{"instructions", sm.at("tensor_core").at("instructions")}}}};
  for (Json& one : parts["tensor_core"]["instructions"]) one.erase("interval_cycles");
  for (const char* const key : {"operand_selector", "operand_fetch", "shared_memory", "registers",
                                "max_registers_per_thread", "max_warps", "tensor_memory_bytes"}) {
    if (sm.contains(key)) parts[key] = sm.at(key);
  }
  return parts;
}

/// Keys whose values differ: "operand_selector.native_patterns", "registers".
std::vector<std::string> changed_keys(const Json& before, const Json& now) {
  std::vector<std::string> keys;
  for (const Json& change : Json::diff(before, now)) {
    std::string key = change.at("path").get<std::string>().substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    key.resize(std::min(key.find('.', key.find('.') + 1), key.size()));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

/// The machine whose file has `where`, by itself; nothing if that is none, or the same as `root`.
std::optional<MachineConfig> read_stated(const SourceLocation& where, const YamlNode& root) {
  const std::optional<YamlNode> stated = machine_stated_at(where);
  if (!stated || changed_values(*stated, root).empty()) return std::nullopt;
  try {
    MapReader map(*stated, "");
    return read_machine(map);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

bool says_the_same(const YamlNode* left, const YamlNode* right) {
  if (left == nullptr || right == nullptr) return left == right;
  return left->text == right->text;
}

/// Part of the measured interval by which the hardware's may differ.
constexpr std::int64_t kPerCent = 3;

/// What intervals depend on.
constexpr std::array<const char*, 3> kMaps{"operand_fetch", "operand_selector", "tensor_core"};

void check_interval(const StreamingMultiprocessorConfig& sm, const MmaInstruction& instruction,
                    const SourceLocation& where) {
  const InstructionTiming timing = timing_of(sm, instruction);
  const std::int64_t interval = timing.pace.interval.count();
  const std::int64_t measured = instruction.interval_cycles;
  if (100 * std::abs(interval - measured) <= kPerCent * measured) return;
  throw ConfigError(
      where, fmt::format("'interval_cycles' is {}, must be within {} % of the {} that the file's "
                         "hardware takes (multipliers {}, registers {}, metadata {}, selector "
                         "{}), or left out",
                         measured, kPerCent, interval, timing.multiply.count(),
                         timing.supply.count(), timing.decode.count(), timing.select.count()));
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
  const std::optional<MachineConfig> before = read_stated(where, root);
  if (!before) return;
  const std::vector<std::string> changed =
      changed_keys(compiled_for(*before), compiled_for(machine));
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

void check_interval_expectations(const YamlNode& root, MachineConfig& machine) {
  const YamlNode& nodes = *find_node(root, "accelerator.sm");
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  std::vector<MmaInstruction>& instructions = sm.tensor_core.instructions;
  for (std::size_t at = 0; at < instructions.size(); ++at) {
    if (instructions[at].interval_cycles == 0) continue;
    const YamlNode& node = find_node(nodes, "tensor_core.instructions")->items[at];
    const SourceLocation& where = node.find("interval_cycles")->location;
    const bool is_other = std::ranges::any_of(
        kMaps, [&](const char* map) { return has_other_origin(*nodes.find(map), where.file); });
    if (is_other) instructions[at].interval_cycles = 0;
    if (!is_other) check_interval(sm, instructions[at], where);
  }
}

}  // namespace stcsim
