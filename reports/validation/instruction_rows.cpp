#include "reports/validation/instruction_rows.hpp"

#include <array>
#include <string_view>

#include "reports/evidence/table_fields.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kWarpGroup = "wgmma";
constexpr std::string_view kTensorMemory = "tcgen05";
constexpr std::string_view kPair = "cta_group::2";
constexpr std::int64_t kLargestSize = 4096;

bool ends_with_word(const std::string& text, std::string_view word) {
  return text.size() > word.size() && text.ends_with(word) &&
         text[text.size() - word.size() - 1] == ' ';
}

/// NVIDIA's instruction set: 1:2 for tf32, 4:8 pairs for 4-bit types, 2:4 for the others.
Pattern sparse_pattern_of(DataType dtype) {
  if (dtype == DataType::tf32) return {1, 2};
  if (bytes_of(dtype, 2) == 1) return {4, 8, 2};
  return {2, 4};
}

Pattern pattern_in(const CsvField& sparse, DataType dtype) {
  if (sparse.text == "0") return kDense;
  if (sparse.text == "1") return sparse_pattern_of(dtype);
  throw ConfigError(sparse.where, "sparse is '" + sparse.text + "', must be 0 or 1");
}

/// Reads "fp16/fp32", or "fp16" alone, which adds up in the usual type.
void read_types(MeasuredInstruction& instruction) {
  const std::size_t slash = instruction.types.find('/');
  const std::string operand = instruction.types.substr(0, slash);
  const auto dtype = data_type_from_string(operand);
  if (!dtype) {
    instruction.unusable = "data type '" + operand + "' is not simulated";
    return;
  }
  instruction.dtype = *dtype;
  instruction.accumulator = accumulator_of(*dtype);
  if (slash == std::string::npos) return;
  const std::string sum = instruction.types.substr(slash + 1);
  const auto accumulator = data_type_from_string(sum);
  if (accumulator) {
    instruction.accumulator = *accumulator;
  } else {
    instruction.unusable = "accumulator type '" + sum + "' is not simulated";
  }
}

/// Reads "m16n8k16".
void read_shape(MeasuredInstruction& instruction) {
  std::string_view rest = instruction.shape;
  const std::array<std::pair<char, std::int64_t*>, 3> parts{
      {{'m', &instruction.m}, {'n', &instruction.n}, {'k', &instruction.k}}};
  for (const auto& [letter, size] : parts) {
    const std::size_t end = rest.find_first_not_of("0123456789", 1);
    const bool named = !rest.empty() && rest.front() == letter;
    const auto value = named ? to_whole_number(rest.substr(1, end - 1)) : std::nullopt;
    if (!value || *value < 1 || *value > kLargestSize) {
      instruction.unusable = "shape '" + instruction.shape + "' is not m..n..k..";
      return;
    }
    *size = *value;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  if (!rest.empty()) instruction.unusable = "shape '" + instruction.shape + "' is not m..n..k..";
}

void check_warps(MeasuredInstruction& instruction) {
  if (instruction.warps == 0) {
    instruction.unusable = "the number of warps is not given";
  } else if (instruction.of_warp_group && instruction.warps % kWarpsOfGroup != 0) {
    instruction.unusable = "the number of warps is not a multiple of a warp group's 4";
  }
}

MeasuredInstruction read_row(const TableFields& fields) {
  MeasuredInstruction instruction;
  instruction.where = fields.at("source").where;
  instruction.source = fields.text("source");
  instruction.gpu = fields.text("gpu");
  instruction.machine = fields.text_or_nothing("machine");
  instruction.name = fields.text("instr");
  instruction.types = fields.text("dtype");
  instruction.shape = fields.text("shape");
  instruction.in_tensor_memory = instruction.name.starts_with(kTensorMemory);
  instruction.of_warp_group =
      instruction.in_tensor_memory || instruction.name.starts_with(kWarpGroup);
  instruction.a_from_registers =
      ends_with_word(instruction.name, instruction.in_tensor_memory ? "TS" : "RS");
  if (instruction.name.find(kPair) != std::string::npos) instruction.sms = 2;
  instruction.latency_cycles = fields.number("latency_cycles");
  instruction.fma_per_clk = fields.number("throughput_fma_per_clk_sm");
  instruction.warps = fields.count("warps").value_or(0);
  instruction.ilp = fields.count("ilp").value_or(0);
  read_types(instruction);
  instruction.pattern = pattern_in(fields.at("sparse"), instruction.dtype);
  read_shape(instruction);
  if (instruction.fma_per_clk && instruction.unusable.empty()) check_warps(instruction);
  return instruction;
}

}  // namespace

std::vector<MeasuredInstruction> read_measured_instructions(const std::filesystem::path& path,
                                                            std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  table.check_columns({"source", "gpu", "instr", "dtype", "shape", "sparse", "warps", "ilp",
                       "latency_cycles", "throughput_fma_per_clk_sm"},
                      {"machine", "note"});
  return read_rows(table, bad_rows, &read_row);
}

}  // namespace stcsim
