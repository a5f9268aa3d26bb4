#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/config/accelerator_config.hpp"

namespace stcsim {
namespace {

/// Part of the measured interval by which the hardware's may differ.
constexpr std::int64_t kPerCent = 3;

const YamlNode* find(const YamlNode& root, std::initializer_list<std::string_view> path) {
  const YamlNode* node = &root;
  for (const std::string_view key : path) {
    node = node->find(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

/// A value that intervals depend on.
struct Quantity {
  std::string_view key;
  const YamlNode* node;
  bool of_sparse_only;
};

class Expectations {
 public:
  Expectations(const YamlNode& sm, StreamingMultiprocessorConfig& config)
      : sm_(sm), config_(config) {
    quantities_ = {
        {"register_bytes_per_clk", find(sm, {"operand_fetch", "register_bytes_per_clk"}), false},
        {"accumulator_bytes_per_clk", find(sm, {"operand_fetch", "accumulator_bytes_per_clk"}),
         false},
        {"b_bytes_per_clk", find(sm, {"operand_selector", "b_bytes_per_clk"}), true},
        {"metadata_decode_cycles", find(sm, {"operand_selector", "metadata_decode_cycles"}), true},
        {"metadata_decode_bytes_per_clk",
         find(sm, {"operand_selector", "metadata_decode_bytes_per_clk"}), true},
        {"metadata_coding", find(sm, {"operand_selector", "metadata_coding"}), true},
        {"metadata_power_of_two_fields",
         find(sm, {"operand_selector", "metadata_power_of_two_fields"}), true},
        {"lane_inputs", find(sm, {"operand_selector", "lane_inputs"}), true}};
  }

  void check(MmaInstruction& instruction, const YamlNode& node) {
    if (instruction.interval_cycles == 0) return;
    const SourceLocation& where = node.find("interval_cycles")->location;
    bool holds = is_from(find_rate(instruction.dtype), where.file, "fma_per_clk");
    for (const std::string_view shape : {"m", "n", "k"}) {
      if (!is_from(node.find(shape), where.file, shape)) holds = false;
    }
    for (const Quantity& one : quantities_) {
      const bool matters = !one.of_sparse_only || !instruction.pattern.is_dense();
      if (matters && !is_from(one.node, where.file, one.key)) holds = false;
    }
    if (holds) return require(instruction, where);
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

  [[nodiscard]] const YamlNode* find_rate(DataType dtype) const {
    for (const YamlNode& rate : find(sm_, {"tensor_core", "multipliers"})->items) {
      if (rate.find("dtype")->text == to_string(dtype)) return rate.find("fma_per_clk");
    }
    return nullptr;
  }

  void require(const MmaInstruction& instruction, const SourceLocation& where) const {
    const InstructionTiming timing = timing_of(config_, instruction);
    const std::int64_t measured = instruction.interval_cycles;
    if (100 * std::abs(timing.pace.interval.count() - measured) <= kPerCent * measured) return;
    throw ConfigError(
        where,
        fmt::format("'interval_cycles' is {}, must be within {} % of the {} that the file's "
                    "hardware takes (multipliers {}, registers {}, metadata {}, selector "
                    "{}), or left out",
                    measured, kPerCent, timing.pace.interval.count(), timing.multiply.count(),
                    timing.supply.count(), timing.decode.count(), timing.select.count()));
  }

  const YamlNode& sm_;
  StreamingMultiprocessorConfig& config_;
  std::vector<Quantity> quantities_;
  std::vector<std::string> changed_;
  std::int64_t dropped_ = 0;
};

}  // namespace

void check_interval_expectations(const YamlNode& root, MachineConfig& machine) {
  const YamlNode& sm = *find(root, {"accelerator", "sm"});
  StreamingMultiprocessorConfig& config = machine.accelerator.sm;
  Expectations expectations(sm, config);
  const std::vector<YamlNode>& nodes = find(sm, {"tensor_core", "instructions"})->items;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    expectations.check(config.tensor_core.instructions[at], nodes[at]);
  }
  const std::string note = expectations.note();
  if (!note.empty()) machine.notes.push_back(machine.name + ": " + note);
}

}  // namespace stcsim
