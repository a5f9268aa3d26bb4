#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/config/accelerator_config.hpp"
#include "sim/config/stated_machine.hpp"

namespace stcsim {
namespace {

/// Part of the measured interval by which the hardware's may differ.
constexpr std::int64_t kPerCent = 3;

/// What intervals depend on: of the instruction, of its type's multipliers, of the sub-core, and if
/// it is sparse of the selector.
constexpr std::array<std::string_view, 6> kOfInstruction{"dtype", "accumulator", "pattern",
                                                         "m",     "n",           "k"};
constexpr std::array<std::string_view, 2> kOfRate{"dtype", "fma_per_clk"};
constexpr std::array<std::string_view, 3> kOfAll{"operand_fetch.register_bytes_per_clk",
                                                 "operand_fetch.accumulator_bytes_per_clk",
                                                 "tensor_core.rows_at_a_time"};
constexpr std::array<std::string_view, 10> kOfSelector{"b_bytes_per_clk",
                                                       "metadata_decode_cycles",
                                                       "metadata_fill_bytes_per_clk",
                                                       "metadata_buffer_bytes",
                                                       "metadata_decode_bytes_per_clk",
                                                       "metadata_coding",
                                                       "metadata_power_of_two_fields",
                                                       "lane_inputs",
                                                       "block_inputs",
                                                       "lanes"};
constexpr std::array<const char*, 3> kMaps{"operand_fetch", "operand_selector", "tensor_core"};

class Expectations {
 public:
  Expectations(const YamlNode& sm, StreamingMultiprocessorConfig& config)
      : sm_(sm), config_(config) {}

  void check(MmaInstruction& instruction, const YamlNode& node) {
    if (instruction.interval_cycles == 0) return;
    const SourceLocation& where = node.find("interval_cycles")->location;
    bool holds = are_from(node, where.file, kOfInstruction);
    const YamlNode* const rate = find_rate(instruction.dtype);
    if (!are_from(*rate, where.file, kOfRate)) holds = false;
    for (const std::string_view path : kOfAll) {
      const std::string_view key = path.substr(path.find('.') + 1);
      if (!is_from(find_node(sm_, path), where.file, key)) holds = false;
    }
    const bool is_sparse = !instruction.pattern.is_dense();
    const YamlNode& selector = *sm_.find("operand_selector");
    if (is_sparse && !are_from(selector, where.file, kOfSelector)) holds = false;
    if (holds && !agrees(instruction)) {
      refuse_if_alone(instruction, where);
      holds = false;
    }
    if (holds) return;
    instruction.interval_cycles = 0;
    ++dropped_;
  }

  /// What has been taken out, and why; "" if nothing.
  [[nodiscard]] std::string note() const {
    if (dropped_ == 0) return "";
    return fmt::format(
        "{} measured instruction intervals do not apply to this hardware and are not compared: "
        "{} {} not stated where they are",
        dropped_, fmt::join(changed_, ", "), changed_.size() == 1 ? "is" : "are");
  }

 private:
  /// A value that is not written anywhere has its default in every file.
  bool is_from(const YamlNode* node, const std::string& file, std::string_view key) {
    if (node == nullptr || node->location.file == file) return true;
    if (std::find(changed_.begin(), changed_.end(), key) == changed_.end()) {
      changed_.emplace_back(key);
    }
    return false;
  }

  template <std::size_t Count>
  bool are_from(const YamlNode& map, const std::string& file,
                const std::array<std::string_view, Count>& keys) {
    bool are = true;
    for (const std::string_view key : keys) {
      if (!is_from(map.find(key), file, key)) are = false;
    }
    return are;
  }

  /// The machine multiplies every type that it has an instruction of.
  [[nodiscard]] const YamlNode* find_rate(DataType dtype) const {
    const std::vector<YamlNode>& rates = find_node(sm_, "tensor_core.multipliers")->items;
    return &*std::find_if(rates.begin(), rates.end(), [&](const YamlNode& rate) {
      return rate.find("dtype")->text == to_string(dtype);
    });
  }

  [[nodiscard]] bool agrees(const MmaInstruction& instruction) const {
    const std::int64_t interval = timing_of(config_, instruction).pace.interval.count();
    const std::int64_t measured = instruction.interval_cycles;
    return 100 * std::abs(interval - measured) <= kPerCent * measured;
  }

  /// @throws ConfigError if all that the interval could depend on stands in the file that states it
  void refuse_if_alone(const MmaInstruction& instruction, const SourceLocation& where) {
    bool is_alone = true;
    for (const char* const map : kMaps) {
      for (const YamlEntry& entry : sm_.find(map)->entries) {
        if (!is_from(&entry.value, where.file, entry.key)) is_alone = false;
      }
    }
    if (!is_alone) return;
    const InstructionTiming timing = timing_of(config_, instruction);
    throw ConfigError(
        where, fmt::format("'interval_cycles' is {}, must be within {} % of the {} that the file's "
                           "hardware takes (multipliers {}, registers {}, metadata {}, selector "
                           "{}), or left out",
                           instruction.interval_cycles, kPerCent, timing.pace.interval.count(),
                           timing.multiply.count(), timing.supply.count(), timing.decode.count(),
                           timing.select.count()));
  }

  const YamlNode& sm_;
  StreamingMultiprocessorConfig& config_;
  std::vector<std::string> changed_;
  std::int64_t dropped_ = 0;
};

}  // namespace

void check_interval_expectations(const YamlNode& root, MachineConfig& machine) {
  const YamlNode& sm = *find_node(root, "accelerator.sm");
  StreamingMultiprocessorConfig& config = machine.accelerator.sm;
  Expectations expectations(sm, config);
  const std::vector<YamlNode>& nodes = find_node(sm, "tensor_core.instructions")->items;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    expectations.check(config.tensor_core.instructions[at], nodes[at]);
  }
  const std::string note = expectations.note();
  if (!note.empty()) machine.notes.push_back(machine.name + ": " + note);
}

}  // namespace stcsim
