#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/figure_key.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The figures of studies, in the order of their documents (common/figure_key.hpp).

/// `Self` is a `Result`, const or not.
template <class Self, class Result>
concept Is = std::is_same_v<std::remove_const_t<Self>, Result>;

/// Reads the name of a phase or a pass; false if it is none.
[[nodiscard]] inline bool take_name(std::string_view name, RowPhase& phase) {
  for (std::size_t at = 0; at <= static_cast<std::size_t>(RowPhase::inference); ++at) {
    phase = static_cast<RowPhase>(at);
    if (to_string(phase) == name) return true;
  }
  return false;
}
[[nodiscard]] inline bool take_name(std::string_view name, StudyPass& pass) {
  pass = name == kInferenceName ? StudyPass::inference : StudyPass::training;
  return true;
}

template <class Self, class Visit>
requires Is<Self, KernelReport>
void visit_figures(Self& kernel, Visit& visit) {
  visit({"name", "", "Name in the machine's list", 1}, kernel.name);
  visit({"tile_m", "", "Rows of C of a CTA"}, kernel.tile_m);
  visit({"tile_n", "", "Columns of C of a CTA"}, kernel.tile_n);
  visit({"tile_k", "", "Elements of K of a step, zeros included"}, kernel.tile_k);
  visit({"stages", "", "Steps whose operands shared memory holds"}, kernel.stages);
  visit({"warps", "", "Warps of a CTA"}, kernel.warps);
  visit({"instruction", "", "Instruction of the tensor core"}, kernel.instruction);
  visit({"split_k", "", "Parts that K is cut into"}, kernel.split_k);
  visit({"ctas", "", "CTAs of the grid"}, kernel.ctas);
  visit({"ctas_per_sm", "", "CTAs on an SM at once"}, kernel.ctas_per_sm);
  visit({"waves", "", "CTAs / those that all SMs hold"}, kernel.waves);
}

template <class Self, class Visit>
requires Is<Self, RowSubject>
void visit_figures(Self& row, Visit& visit) {
  visit({"machine", "", "Name of the machine", 1}, row.machine);
  visit({"network", "", "Name of the network", 2}, row.network);
  visit({"layer", "", "Name of the layer", 3}, row.layer);
  visit({"phase", "", "a phase of a step", 4}, row.phase);
  visit({"scheme", "", "Name of the scheme", 5}, row.scheme);
  visit({"op", "", "gemm, or the kernel beside products", 6}, row.op);
  visit({"kind", "", "gemm, or the kind of such a kernel"},
        row.kind ? std::string(to_string(*row.kind)) : std::string("gemm"));
  visit(later({"scheme_work", "", "Spent by the scheme; dense steps have nothing in its place"}),
        row.scheme_work);
  visit(later({"fused_work", "", "A kernel of which the scheme's own work is a part"}),
        row.fused_work);
  visit({"repeat", "", "Times that it runs in a step", 9}, row.repeat);
  visit({"every", "", "Steps of which one has it", 10}, row.every);
}

template <class Self, class Visit>
requires Is<Self, RowShape>
void visit_figures(Self& row, Visit& visit) {
  visit({"m", "", "Rows of C", 11}, row.m);
  visit({"n", "", "Columns of C", 12}, row.n);
  visit({"k", "", "Elements that are summed up", 13}, row.k);
  visit({"batch_count", "", "Independent GEMMs of one launch", 14}, row.batch_count);
  visit({"gemm_count", "", "GEMMs that the phase is made of", 15, true}, row.gemm_count);
  visit(later({"longest_part", "", "Number of the longest of them, from 1"}), row.longest_part);
}

template <class Self, class Visit>
requires Is<Self, RowWork>
void visit_figures(Self& row, Visit& visit) {
  const auto& operand = row.sparse_operand;
  visit(later({"launches", "", "Kernels launched"}), row.launches);
  visit({"macs", "", "Multiply-accumulates, skipped zeros included"}, row.macs);
  visit(later({"sparse_macs", "", "Those of them on sparse tensor cores"}), row.sparse_macs);
  visit({"dtype", "", "Type of the operands"}, row.dtype);
  visit({"pattern", "", "Pattern that the scheme asks for"}, row.pattern);
  visit({"hardware_pattern", "", "Pattern of the hardware it ran on"}, row.hardware_pattern);
  visit(later({"sparse_operand", "", "Tensor that is sparse, or none"}),
        std::string(operand ? to_string(*operand) : "none"));
  visit(later({"ran_sparse", "", "Ran on sparse tensor cores"}), row.ran_sparse);
  visit({"reason", "", "Why it ran dense, or what limits the gain"}, row.reason);
}

template <class Self, class Visit>
requires Is<Self, RowTime>
void visit_figures(Self& row, Visit& visit) {
  visit(kept(kCyclesKey, 7), row.cycles);
  visit(kDenseCyclesKey, row.dense_cycles);
  visit(kept(kTimeUsKey, 8), row.time_us);
  visit(kDenseTimeUsKey, row.dense_time_us);
  visit(kSpeedupKey, row.speedup);
  visit({"utilization", "", "Multiplications / those of the multipliers at their peak"},
        row.utilization);
  visit({"bound_by", "", "Resource that the time is lost to", 17}, row.bound_by);
  visit(later({"tile", "", "Tile of a CTA"}), row.kernel.tile());
  visit(later({"regret_at_most", "", "Share of the time that no kernel left out saves more than"}),
        row.regret_at_most);
  visit(later({"joules", "J", "Energy of the board"}), row.joules);
  visit(later({"dense_joules", "J", "Energy of the board for the dense kernels"}),
        row.dense_joules);
  if (!row.sampled) return;
  visit(later({"cycles_low", "cycles", "Fewest cycles, where a part was simulated"}),
        row.sampled->cycles_low);
  visit(later({"cycles_high", "cycles", "Most cycles"}), row.sampled->cycles_high);
  visit(later({"simulated_share", "", "Share of the CTAs that were simulated"}),
        row.sampled->simulated_share);
}

/// Beside them documents have counters ("traffic") and "buckets".
template <class Self, class Visit>
requires Is<Self, ResultRow>
void visit_figures(Self& row, Visit& visit) {
  const auto part = [&]<class Part>(std::type_identity<Part>) {
    using Of = std::conditional_t<std::is_const_v<Self>, const Part, Part>;
    visit_figures(static_cast<Of&>(row), visit);
  };
  part(std::type_identity<RowSubject>());
  part(std::type_identity<RowShape>());
  part(std::type_identity<RowWork>());
  part(std::type_identity<RowTime>());
  visit({"kernel", "", "Kernel that ran", 16}, row.kernel);
}

template <class Self, class Visit>
requires Is<Self, PhaseTotal>
void visit_figures(Self& part, Visit& visit) {
  visit(kept(kCyclesKey, 1), part.cycles);
  visit(kept(kTimeUsKey, 2), part.time_us);
  visit(kept(kDenseTimeUsKey, 3), part.dense_time_us);
  visit(kSpeedupKey, part.speedup);
  visit({"failed", "", "Rows that could not be simulated"}, part.failed);
}

template <class Self, class Visit>
requires Is<Self, SparseShares>
void visit_figures(Self& shares, Visit& visit) {
  visit({"forward"}, shares.forward);
  visit({"dgrad"}, shares.dgrad);
  visit({"wgrad"}, shares.wgrad);
  visit({"gemms"}, shares.gemms);
}

template <class Self, class Visit>
requires Is<Self, LikelyInterval>
void visit_figures(Self& interval, Visit& visit) {
  visit({"low", "", "Low end; both ends are 0 if it is not known"}, interval.low);
  visit({"high", "", "High end"}, interval.high);
  visit({"assumed", "", "Errors of other machines or types were taken"}, interval.is_assumed);
}

template <class Self, class Visit>
requires Is<Self, StackGain>
void visit_figures(Self& gain, Visit& visit) {
  visit({"stack", "", "Name of the software"}, gain.stack);
  visit(kTimeUsKey, gain.time_us);
  visit(kSpeedupKey, gain.speedup);
}

/// What the kernels beside products add up to, kind by kind.
struct KindTotals {
  const StudyTotal& total;
};
template <class Self, class Visit>
requires Is<Self, KindTotals>
void visit_figures(Self& kinds, Visit& visit) {
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    visit(later({to_string(static_cast<StreamKind>(kind))}), kinds.total.kinds.at(kind));
  }
}

/// What a step needs of the machine's DRAM.
struct MemoryFigures {
  const StudyTotal& total;
};
template <class Self, class Visit>
requires Is<Self, MemoryFigures>
void visit_figures(Self& of, Visit& visit) {
  const StepMemory& memory = of.total.memory;
  visit({"weights_bytes", "bytes", "Weights"}, memory.weights);
  visit({"compressed_bytes", "bytes", "Kept values of sparse weights"}, memory.compressed);
  visit({"metadata_bytes", "bytes", "Places of the kept values"}, memory.metadata);
  visit({"masks_bytes", "bytes", "Masks that schemes keep"}, memory.masks);
  visit({"gradients_bytes", "bytes", "Gradients of weights"}, memory.gradients);
  visit({"optimizer_bytes", "bytes", "State of the optimizer"}, memory.optimizer);
  visit({"activations_bytes", "bytes", "Kept from the forward pass"}, memory.activations);
  visit({"working_bytes", "bytes", "The most that comes and goes beside it"}, memory.working);
  visit({"total_bytes", "bytes", "Sum of these"}, memory.total());
  visit({"capacity_bytes", "bytes", "DRAM of the machine"}, of.total.capacity_bytes);
  visit({"fits", "", "The sum is not more"}, of.total.fits());
}

template <class Self, class Visit>
requires Is<Self, StudyTotal>
void visit_figures(Self& total, Visit& visit) {
  visit({"machine", "", "Name of the machine", 1}, total.machine);
  visit({"network", "", "Name of the network", 2}, total.network);
  visit({"scheme", "", "Name of the scheme", 3}, total.scheme);
  visit({"pass", "", "training or inference", 4}, total.pass);
  visit(later({"stack", "", "Software whose kernels ran"}), total.stack);
  visit(later({"framework", "", "Framework whose kernels run beside products"}), total.framework);
  visit(later({"products_only", "", "The step is the sum of the products"}), total.products_only);
  visit(later({"attention", "", "Place of the scores of attention"}), total.scores);
  visit({"clock_mhz", "MHz", "Clock of the step", 5}, total.clock_mhz);
  visit(later({"clock_of", "", "machine, experiment or power: who set it"}), total.clock_of);
  visit(later({"dense_watts", "W", "Power of the board in the dense step"}), total.dense_watts);
  visit(later({"joules", "J", "Energy of a sparse step"}), total.joules);
  visit(later({"dense_joules", "J", "Energy of a dense step"}), total.dense_joules);
  visit({"share_of_training", "", "Share of the steps that are sparse"}, total.share_of_training);
  visit(later({"complete", "", "All of it could be simulated"}), total.is_complete());
  visit(kept(kSpeedupKey, 6), total.training.speedup);
  visit(later({"gemm_speedup", "", "Speedup of the products"}), total.gemms.speedup);
  visit({"speedup_interval", "", "95 % of measured speedups"}, total.interval);
  visit(later({"verdict", "", "faster, slower, as dense or not told apart"}),
        total.interval.verdict());
  visit(later({"step_interval", "", "The same of a sparse step's speedup"}), total.step_interval);
  visit(later({"time_interval", "", "The same of its time"}), total.time_interval);
  visit(later({"dense_time_interval", "", "The same of the dense step's time"}),
        total.dense_time_interval);
  visit({"sparse_share", "", "Share of the multiplications on sparse tensor cores"},
        total.sparse_share);
  for (const TotalPart& part : kTotalParts) visit(part.key, total.*part.part);
  visit(later({"measured", "", "The dense step's times were measured"}), total.measured);
  visit(later({"kernels_us", "us", "A sparse step without waits for the host"}), total.kernels_us);
  visit(later({"dense_kernels_us", "us", "The same of the dense step"}), total.dense_kernels_us);
  visit(later({"kernels_speedup", "", "Its gain"}), total.kernels_speedup);
  visit(later({"kernels_interval", "", "95 % of measured ones"}), total.kernels_interval);
  visit(later({"beside", "", "Gains with other software"}), total.beside);
  visit({"kinds", "", "Kernels beside products, by kind"}, KindTotals{total});
  visit(later({"memory", "", "DRAM that a step needs"}), MemoryFigures{total});
}

/// Beside them documents have "exposed", "collectives" and "streams".
template <class Self, class Visit>
requires Is<Self, ParallelTotal>
void visit_figures(Self& total, Visit& visit) {
  visit({"machine", "", "Name of the machine"}, total.machine);
  visit({"network", "", "Name of the network"}, total.network);
  visit({"scheme", "", "Name of the scheme"}, total.scheme);
  visit({"gpus", "", "GPUs of a node"}, total.gpus);
  visit({"nodes", "", "Nodes"}, total.nodes);
  visit({"kind", "", "predicted: nobody measured it"}, std::string_view("predicted"));
  visit(kTimeUsKey, total.times.us);
  visit(kDenseTimeUsKey, total.dense_us);
  visit(kSpeedupKey, total.speedup);
  visit({"speedup_interval", "", "95 % of measured speedups"}, total.likely);
  visit({"kernels_speedup", "", "Speedup if collectives took no time"}, total.kernels_speedup);
  visit({"efficiency", "", "Samples a second and GPU / those of one GPU"}, total.efficiency);
  visit({"slowed_us", "us", "Time that kernels lose to collectives"}, total.times.slowed_us);
  visit({"memory_bytes", "bytes", "DRAM that a GPU needs"}, total.memory_bytes);
  visit({"capacity_bytes", "bytes", "DRAM that it has"}, total.capacity_bytes);
  visit({"fits", "", "The first is not more"}, total.fits());
  visit({"gains_nothing_from", "", "GPUs from which on nothing is gained"},
        total.gains_nothing_from);
}

}  // namespace stcsim
