#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/config/accelerator_config.hpp"
#include "sim/config/stated_machine.hpp"

namespace stcsim {
namespace {

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
