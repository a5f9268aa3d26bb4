#pragma once

#include <cstdint>
#include <string>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/instruction_loop.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// A matrix instruction as documents and micro-benchmarks name it.
struct NamedInstruction {
  /// "mma.sync", "mma.sp.sync", "wgmma.mma_async.sp RS", "tcgen05.mma cta_group::2 TS"; operand
  /// and accumulator type, or the operands' alone; shape, its k logical (uncompressed).
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
};

/// @param types  "fp16/fp32", or "fp16", which adds up in the usual type
/// @param shape  "m16n8k16"
/// @param sparse  1:2 of tf32, 4:8 pairs of 4-bit types, 2:4 of the others, as NVIDIA's have it
/// @throws ConfigError that says what is not simulated
[[nodiscard]] NamedInstruction named_instruction(const std::string& name, const std::string& types,
                                                 const std::string& shape, bool sparse);

/// The loop that measures it on one warp, or one warp group, with one chain. A machine without its
/// accumulator takes as long as with the usual one.
/// @throws ConfigError if the machine has no such instruction
[[nodiscard]] InstructionLoop loop_of(const NamedInstruction& wanted, const MachineConfig& machine);

/// Cycles of a pass of that loop.
/// @throws ConfigError if the machine has no such instruction
[[nodiscard]] double latency_cycles(const NamedInstruction& instruction, MachineRunner& runner);

/// Dense-equivalent multiply-accumulates per clk of one SM whose warps run so many chains each.
/// @throws ConfigError if the machine has no such instruction, its SM does not hold the warps, or
///         they are no whole warp groups
[[nodiscard]] double fma_per_clk(const NamedInstruction& instruction, std::int64_t warps,
                                 std::int64_t chains, MachineRunner& runner);

}  // namespace stcsim
