#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Warps that issue a wgmma together.
inline constexpr std::int64_t kWarpsOfGroup = 4;

/// Figures that somebody measured for one matrix instruction on a real GPU.
struct MeasuredInstruction {
  SourceLocation where;
  std::string source;
  std::string gpu;
  /// Machine whose SM the GPU has, where gpus.yaml does not say; "" if it does.
  std::string machine;
  /// As published: "mma.sync", "mma.sp.sync", "wgmma.mma_async.sp RS"; operand and accumulator
  /// type; shape, its k logical (uncompressed).
  std::string name;
  std::string types;
  std::string shape;
  DataType dtype = DataType::fp16;
  DataType accumulator = DataType::fp32;
  Pattern pattern = kDense;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  /// One instruction of a group of four warps (wgmma), operands from shared memory.
  bool of_warp_group = false;
  /// A of a warp group comes from registers.
  bool a_from_registers = false;
  /// SMs whose CTAs multiply together (tcgen05 of cta_group::2), of_warp_group in each.
  std::int64_t sms = 1;
  /// Results go to tensor memory (tcgen05), from where A may come as from registers.
  bool in_tensor_memory = false;
  /// Warps of the SM; 0 if not given.
  std::int64_t warps = 0;
  /// Independent chains of each warp in the loop; 0 if the loop was run with several numbers and
  /// the best was published.
  std::int64_t ilp = 0;
  /// Cycles a pass of one warp with one chain takes.
  std::optional<double> latency_cycles;
  /// Dense-equivalent multiply-accumulates per clk of one SM.
  std::optional<double> fma_per_clk;
  /// Why the row cannot be simulated, whatever the machine; "" if it can.
  std::string unusable;
};

/// A measured instruction beside what the simulator predicts for it.
struct InstructionRow {
  MeasuredInstruction measured;
  std::string machine;
  /// Chains the throughput was simulated with.
  std::int64_t ilp = 0;
  std::optional<double> latency_cycles;
  std::optional<double> fma_per_clk;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

/// Reads a table of measured instructions. Columns: source, gpu, instr, dtype (operand type, or
/// operand/accumulator), shape (m16n8k16), sparse (0 or 1: 2:4), latency_cycles,
/// throughput_fma_per_clk_sm (dense-equivalent), warps, ilp; `machine` and `note` may be left
/// out. A value may be empty.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredInstruction> read_measured_instructions(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

}  // namespace stcsim
