#include <algorithm>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/metadata_format.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kRegisterBytes = 4;
/// Addresses, predicates and loop counters of a compiled main loop. A profile of cuBLAS on an A800
/// (Nsight Compute, CUDA 12.6) shows 196 registers for the kernel of 96x128x32 with warps of 48x64:
/// 96 accumulators, two buffers of 28 registers each, and 44 others.
constexpr std::int64_t kOtherRegistersPerThread = 44;
/// Registers are allocated to threads in multiples of this (CUDA programming guide).
constexpr std::int64_t kRegisterGranule = 8;

/// Kernels are stated for 16-bit elements and 2:4; keep the bytes of A per stage, as nearly as
/// whole instructions do where n does not divide them.
std::int64_t fitted_tile_k(const KernelConfig& config, const MmaInstruction& instruction) {
  const Pattern hardware = instruction.pattern;
  const std::int64_t dense_k =
      elements_in(instruction.dtype, bytes_of(DataType::fp16, config.tile_k));
  if (!config.sparse) return dense_k;
  const std::int64_t kept = dense_k / 2;
  if (kept % hardware.n == 0) return kept / hardware.n * hardware.m;
  return std::max<std::int64_t>(1, kept * hardware.m / (instruction.k * hardware.n)) *
         instruction.k;
}

/// Registers of one thread for the fragments of one instruction group.
struct FragmentRegisters {
  std::int64_t a = 0;  // with metadata
  std::int64_t b = 0;
};

/// None for wgmma, whose operands stay in shared memory.
FragmentRegisters fragment_registers(const FittedKernel& kernel) {
  const KernelConfig& config = kernel.config;
  if (config.b_shared_by_warps > 1) return {};
  const InstructionOperands one = operands_of(kernel.instruction);
  const std::int64_t rows = config.tile_m / config.warps_m / kernel.instruction.m;
  const std::int64_t columns = config.tile_n / config.warps_n / kernel.instruction.n;
  constexpr std::int64_t kBytes = kWarpThreads * kRegisterBytes;
  const std::int64_t metadata = kernel.hardware.of_outputs ? 0 : one.metadata_bytes;
  return {ceil_div(rows * (one.a_bytes + metadata), kBytes),
          ceil_div(columns * one.b_bytes, kBytes)};
}

/// Registers of a thread with `buffers` fragment buffers.
struct RegisterNeed {
  std::int64_t whole = 0;
  /// The least it needs to load as far ahead is only one operand in every buffer but the first: the
  /// other's registers are loaded anew as soon as the instructions that read them have been issued,
  /// column by column (so do CUTLASS' sparse kernels with warps of 64x64: mma_sparse_multistage.h,
  /// kBBufferSize).
  std::int64_t least = 0;
};

RegisterNeed registers_with(const FittedKernel& kernel, std::int64_t buffers,
                            bool in_tensor_memory) {
  const KernelConfig& config = kernel.config;
  const std::int64_t warp_elements =
      config.tile_m * config.tile_n / (config.warps_m * config.warps_n);
  const FragmentRegisters one = fragment_registers(kernel);
  const std::int64_t outputs = kernel.hardware.outputs_of(warp_elements);
  const std::int64_t accumulators = in_tensor_memory ? 0 : ceil_div(outputs, kWarpThreads);
  const std::int64_t mask = ceil_div(mask_bytes(kernel) / (config.warps_m * config.warps_n),
                                     kWarpThreads * kRegisterBytes);
  const std::int64_t without_buffers = accumulators + mask + kOtherRegistersPerThread;
  return {without_buffers + buffers * (one.a + one.b),
          without_buffers + one.a + one.b + (buffers - 1) * std::min(one.a, one.b)};
}

/// What a tile takes of tensor memory.
struct TensorMemoryNeed {
  std::int64_t accumulators = 0;
  /// Of the k-step that is multiplied: metadata and scales.
  std::int64_t step = 0;
};

TensorMemoryNeed tensor_memory_of(const FittedKernel& kernel) {
  const KernelConfig& config = kernel.config;
  const MmaInstruction& one = kernel.instruction;
  const RowBytes a_row = row_bytes(config.tile_k, kernel.hardware.of_a(), one.dtype, one.metadata);
  return {bytes_of(one.accumulator, config.tile_m * kernel.hardware.outputs_of(config.tile_n)),
          config.tile_m * a_row.metadata + (config.tile_m + config.tile_n) * a_row.scales};
}

std::int64_t stage_bytes(const FittedKernel& kernel) {
  const KernelConfig& config = kernel.config;
  const DataType dtype = kernel.instruction.dtype;
  const RowBytes a_row =
      row_bytes(config.tile_k, kernel.hardware.of_a(), dtype, kernel.instruction.metadata);
  const RowBytes b_row = row_bytes(config.tile_k, kDense, dtype);
  const std::int64_t metadata = config.metadata_in_registers ? 0 : a_row.metadata;
  return config.tile_m * (a_row.values + a_row.scales + metadata) +
         config.columns_kept() * (b_row.values + a_row.scales);
}

/// Room for the indices at work and for those on their way.
std::int64_t index_bytes(const KernelConfig& config) {
  return 2 * config.column_indices_at_a_time * config.column_index_bytes;
}

bool divides(std::int64_t part, std::int64_t whole) {
  return whole >= part && whole % part == 0;
}

std::string tile_misfit(const FittedKernel& kernel) {
  const KernelConfig& config = kernel.config;
  const MmaInstruction& one = kernel.instruction;
  if (divides(one.k, config.tile_k) && divides(one.m * config.warps_m, config.tile_m) &&
      divides(one.n * config.warps_n, config.tile_n)) {
    return "";
  }
  return fmt::format("tile {}x{}x{} is not a multiple of the instruction m{}n{}k{} per warp",
                     config.tile_m, config.tile_n, config.tile_k, one.m, one.n, one.k);
}

/// Lowers ctas_per_sm to what fits into tensor memory; returns why not even one CTA does, or "".
std::string fit_into_tensor_memory(std::int64_t bytes, FittedKernel& kernel) {
  const TensorMemoryNeed need = tensor_memory_of(kernel);
  const std::int64_t of_cta = need.accumulators + need.step;
  if (of_cta > bytes) {
    return fmt::format("needs {} bytes of tensor memory, an SM has {}", of_cta, bytes);
  }
  kernel.ctas_per_sm = std::min(kernel.ctas_per_sm, bytes / of_cta);
  kernel.has_spare_accumulators = of_cta + need.accumulators <= bytes;
  return "";
}

/// Sets ctas_per_sm; returns why not even one CTA fits, or "".
std::string fit_into_sm(const MachineConfig& machine, FittedKernel& kernel) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const std::int64_t warps =
      kernel.config.warps_m * kernel.config.warps_n * (kernel.config.ping_pong ? 2 : 1);
  const std::int64_t limit_bytes = sm.shared_memory.max_bytes_per_cta;
  if (kernel.shared_memory_bytes > limit_bytes) {
    return fmt::format("needs {} bytes of shared memory, a CTA may have {}",
                       kernel.shared_memory_bytes, limit_bytes);
  }
  if (kernel.registers_per_thread > sm.max_registers_per_thread) {
    return fmt::format("needs {} registers per thread, the limit is {}",
                       kernel.registers_per_thread, sm.max_registers_per_thread);
  }
  const std::int64_t allocated = ceil_div(kernel.registers_per_thread, kRegisterGranule) *
                                 kRegisterGranule * kWarpThreads * warps;
  kernel.ctas_per_sm =
      std::min({sm.shared_memory.capacity_bytes /
                    (kernel.shared_memory_bytes + sm.shared_memory.reserved_bytes_per_cta),
                sm.registers / allocated, sm.max_warps / warps, sm.max_ctas});
  if (kernel.config.max_ctas_per_sm > 0) {
    kernel.ctas_per_sm = std::min(kernel.ctas_per_sm, kernel.config.max_ctas_per_sm);
  }
  if (sm.tensor_memory_bytes > 0) {
    const std::string why_not = fit_into_tensor_memory(sm.tensor_memory_bytes, kernel);
    if (!why_not.empty()) return why_not;
  }
  if (kernel.config.ping_pong) kernel.has_spare_accumulators = true;
  if (kernel.config.persistent) kernel.ctas_per_sm = std::min<std::int64_t>(kernel.ctas_per_sm, 1);
  kernel.most_ctas_per_sm = kernel.ctas_per_sm;
  return kernel.ctas_per_sm >= 1 ? "" : "one CTA does not fit into an SM";
}

/// Its tile fitted to the instruction, without registers; nothing, and why not, if it does not fit.
std::optional<FittedKernel> fit_tile(const KernelConfig& config, const MmaInstruction& instruction,
                                     std::string& why_not) {
  const Pattern hardware = instruction.pattern;
  if (config.sparse == hardware.of_a().is_dense()) {
    why_not = config.sparse ? "is a sparse kernel" : "is a dense kernel";
    return std::nullopt;
  }
  FittedKernel kernel{config, hardware, instruction};
  kernel.config.tile_k = fitted_tile_k(config, instruction);
  why_not = tile_misfit(kernel);
  if (!why_not.empty()) return std::nullopt;
  kernel.shared_memory_bytes = stage_bytes(kernel) * config.stages + index_bytes(config);
  return kernel;
}

/// Sets fragment buffers and what follows from them; returns why no CTA fits, or "".
std::string set_buffers(const MachineConfig& machine, std::int64_t buffers, std::int64_t registers,
                        FittedKernel& kernel) {
  kernel.fragment_buffers = buffers;
  kernel.registers_per_thread = registers;
  return fit_into_sm(machine, kernel);
}

}  // namespace

std::optional<FittedKernel> fit_kernel(const MachineConfig& machine, const KernelConfig& config,
                                       const MmaInstruction& instruction, std::string& why_not) {
  auto kernel = fit_tile(config, instruction, why_not);
  if (!kernel) return std::nullopt;
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  for (std::int64_t buffers = sm.operand_fetch.fragment_buffers; buffers >= 1; --buffers) {
    const RegisterNeed need = registers_with(*kernel, buffers, sm.tensor_memory_bytes > 0);
    for (const std::int64_t registers : {need.whole, need.least}) {
      why_not = set_buffers(machine, buffers, registers, *kernel);
      if (why_not.empty()) return kernel;
    }
  }
  return std::nullopt;
}

std::vector<FittedKernel> fit_variants(const MachineConfig& machine, const KernelConfig& config,
                                       const MmaInstruction& instruction) {
  std::string why_not;
  const auto usual = fit_kernel(machine, config, instruction, why_not);
  if (!usual) return {};
  std::vector<FittedKernel> variants{*usual};
  for (std::int64_t buffers = usual->fragment_buffers; buffers >= 1; --buffers) {
    FittedKernel kernel = *usual;
    const RegisterNeed need =
        registers_with(kernel, buffers, machine.accelerator.sm.tensor_memory_bytes > 0);
    why_not = set_buffers(machine, buffers, need.least, kernel);
    const bool is_usual =
        buffers == usual->fragment_buffers && kernel.ctas_per_sm <= usual->ctas_per_sm;
    if (why_not.empty() && !is_usual) variants.push_back(kernel);
  }
  return variants;
}

std::optional<FittedKernel> fit_kernel(const MachineConfig& machine, const KernelConfig& config,
                                       DataType dtype, Pattern hardware, std::string& why_not) {
  const auto instructions = instructions_for(machine.accelerator.sm, dtype, hardware);
  why_not = fmt::format("{} has no {} instruction for {}", machine.name, to_string(dtype),
                        hardware.to_string());
  if (config.sparse == hardware.of_a().is_dense()) {
    why_not = config.sparse ? "is a sparse kernel" : "is a dense kernel";
  }
  for (const MmaInstruction& instruction : instructions) {
    if (auto kernel = fit_kernel(machine, config, instruction, why_not)) return kernel;
  }
  return std::nullopt;
}

std::int64_t mask_bytes(const FittedKernel& kernel) {
  if (!kernel.hardware.of_outputs) return 0;
  const MmaInstruction& one = kernel.instruction;
  return kernel.config.tile_m *
         row_bytes(kernel.config.tile_n, kernel.hardware, one.dtype, one.metadata).metadata;
}

std::string why_unused(const MachineConfig& machine, const KernelConfig& config) {
  std::string first;
  for (const DataType dtype : operand_data_types()) {
    std::vector<Pattern> patterns =
        machine.accelerator.sm.operand_selector.runnable_patterns(dtype);
    patterns.push_back(kDense);
    for (const Pattern pattern : patterns) {
      std::string why_not;
      if (fit_kernel(machine, config, dtype, pattern, why_not)) return "";
      if (first.empty() && config.sparse != pattern.of_a().is_dense()) first = why_not;
    }
  }
  return first.empty() ? "is a sparse kernel" : first;
}

}  // namespace stcsim
