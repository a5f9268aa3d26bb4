#pragma once

#include <cstdint>
#include <optional>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"
#include "models/sub_core/sub_core_config.hpp"
#include "models/tensor_core/tensor_core.hpp"
#include "models/warp_scheduler/warp_scheduler.hpp"

namespace stcsim {

/// The vector (non-tensor) lanes of one sub-core: an instruction does one operation for each of a
/// warp's threads.
class VectorUnit final : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"vector_unit", "lanes for other than matrix instructions"};

  /// @param lanes, special_lanes  operations per clk
  VectorUnit(std::int64_t lanes, std::int64_t special_lanes)
      : lanes_(lanes), special_lanes_(special_lanes) {}

  /// Cycles one instruction keeps the lanes.
  [[nodiscard]] static Cycles cycles(std::int64_t lanes) { return cycles_for(kWarpThreads, lanes); }

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction && !program.has_phases() ? Cycles() : cycles(lanes_);
  }
  void amend(const WarpProgram&, InstructionPace& pace) const override {
    pace.exponential = cycles(special_lanes_);
  }

  std::int64_t lanes_;
  std::int64_t special_lanes_;
};

/// The register file of one sub-core as the tensor core sees it: for every instruction
/// it supplies A, B and metadata, and moves the accumulators there and back at the same time.
class RegisterFile final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"register_file", "supplies operands of instructions"};

  /// @param config  outlives it
  explicit RegisterFile(const OperandFetchConfig& config) : config_(&config) {}

  /// Cycles one instruction keeps it; operands that come from shared memory pass by.
  [[nodiscard]] static Cycles cycles(const OperandFetchConfig& config,
                                     const MmaInstruction& instruction);

  /// Who is told that a group's fragments have been read; nobody if null.
  Wired<Inbox<GroupProgress>*> progress;

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    accumulators_ =
        program.instruction ? accumulator_cycles(*config_, *program.instruction) : Cycles();
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }
  [[nodiscard]] Cycles own_cycles_of(const StageMessage& message) const override;

  /// Takes A, B and metadata out of the registers; a group's are free with the last of them.
  std::int64_t use(StageMessage& message, Cycle now) override;
  void work_on(const StageMessage& message) override;

  /// Cycles that one instruction's accumulators take, there and back.
  [[nodiscard]] static Cycles accumulator_cycles(const OperandFetchConfig& config,
                                                 const MmaInstruction& instruction);

  const OperandFetchConfig* config_;
  Cycles accumulators_;
};

/// One processing block of an SM: a warp scheduler, and what its instructions pass. Only the
/// scheduler acts at times of its own; its ports are the sub-core's.
class SubCore {
 public:
  static constexpr UnitKind kKind{"sub_core", "a warp scheduler and what its instructions pass"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_children = true,
                                .connect_stages = true,
                                .visit_statistics = true,
                                .settle = true,
                                .finish = true,
                                .restored = true,
                                .tell = true};

  /// @param config  outlives it
  /// @param index  in its SM
  SubCore(const SubCoreConfig& config, std::int64_t sm, std::int64_t index)
      : warp_scheduler(config.sub_cores, sm, index),
        register_file(config.operand_fetch),
        vector_unit(config.vector_lanes_per_sub_core, config.special_lanes_per_sub_core),
        tensor_core(config.tensor_core, config.operand_selector, config.passes_messages()),
        depth_(config.queue_depth()) {
    if (!config.passes_messages()) return;
    warp_scheduler.issue_messages(!depth_);
    if (!depth_) return;
    register_file.progress = &warp_scheduler.progress;
    tensor_core.accumulators.progress = &warp_scheduler.progress;
  }

  WarpScheduler warp_scheduler;
  RegisterFile register_file;
  VectorUnit vector_unit;
  TensorCore tensor_core;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    warp_scheduler.visit_ports(visitor);
  }
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("warp_scheduler", warp_scheduler);
    visitor.child("register_file", register_file);
    visitor.child("vector_unit", vector_unit);
    visitor.child("tensor_core", tensor_core);
  }
  template <class Wires>
  void connect_stages(Wires& wires) {
    wires.connect(warp_scheduler.matrix_instructions, register_file);
    wires.connect(register_file.next, tensor_core);
    wires.connect(warp_scheduler.vector_instructions, vector_unit);
  }

  void tell(Datapath* datapath) { warp_scheduler.datapath = datapath; }
  void launch(const KernelLaunch& kernel) {
    if (tensor_core.passes_messages) {
      register_file.pass_messages(depth_);
      tensor_core.stand_in(warp_scheduler.datapath);
    }
    next_turn_ = Cycle();
    warp_scheduler.launch(kernel);
  }
  /// Stages that pass messages have their turn before the scheduler, which fills the first. What is
  /// worked on between their turns are values, of which no time depends.
  [[nodiscard]] std::optional<Cycle> advance(Cycle now) {
    if (!tensor_core.passes_messages) return warp_scheduler.advance(now);
    if (now >= earliest(next_turn_, warp_scheduler.next_message())) {
      register_file.take_turn(now);
      const std::optional<Cycle> next = warp_scheduler.advance(now);
      next_turn_ = earliest(next.value_or(kNever), register_file.next_turn(now));
    }
    register_file.work_on_values(now);
    return if_ever(earliest(next_turn_, warp_scheduler.next_message(), register_file.next_work()));
  }
  void settle(Cycle now) { warp_scheduler.settle(now); }
  void finish(Cycle end) { warp_scheduler.finish(end); }
  void restored() { warp_scheduler.restored(); }
  template <class Message>
  [[nodiscard]] bool awaits(const Message& message) const {
    return warp_scheduler.awaits(message);
  }
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    warp_scheduler.visit_state(visitor);
    if (tensor_core.passes_messages) register_file.visit_messages(visitor);
  }
  /// Statistics of the stages; the tensor core and the vector unit also tell what their
  /// instructions waited for: the one that the launch does not use is idle.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle end) const {
    const std::int64_t issued = warp_scheduler.instructions_issued();
    visitor.unit("tensor_core");
    warp_scheduler.visit_issue(visitor, warp_scheduler.is_matrix(), end);
    visitor.count("instructions", "instruction", issued);  // of either
    visitor.unit("register_file");
    register_file.visit_statistics(visitor, issued, end);
    visit_bytes(visitor, "fragment_bytes", register_file);
    visitor.unit("metadata_buffer");
    tensor_core.metadata_buffer.visit_statistics(visitor, tensor_core.decoder, issued, end);
    visit_bytes(visitor, "decoded_metadata_bytes", tensor_core.decoder);
    visitor.unit("operand_selector");
    tensor_core.operand_selector.visit_statistics(visitor, issued, end);
    visitor.unit("multipliers");
    tensor_core.multipliers.visit_statistics(visitor, issued, end);
    visitor.unit("vector_unit");
    warp_scheduler.visit_vector_issue(visitor, end);
  }

 private:
  /// What a stage has taken out of messages, or put into them.
  template <class Visitor>
  void visit_bytes(Visitor& visitor, const char* name, const PipelineStage& stage) const {
    if (tensor_core.passes_messages) visitor.count(name, "byte", stage.moved_bytes());
  }

  StageQueue::Depth depth_;
  Cycle next_turn_;  // of stages and scheduler, unless a message comes
};

/// Cycles one instruction keeps each stage of a sub-core, as the stages say from their
/// configuration.
struct InstructionTiming {
  Cycles multiply;  // kept products / multipliers; a vector instruction: threads / lanes
  Cycles supply;    // A, B and metadata from registers, accumulators both ways
  Cycles decode;    // metadata: filled in and decoded
  Cycles select;    // B through the selector
  /// The pace that comes of it: the interval is the longest of these.
  InstructionPace pace;

  friend bool operator==(const InstructionTiming&, const InstructionTiming&) = default;
};

/// The machine must multiply the instruction's type.
[[nodiscard]] InstructionTiming timing_of(const SubCoreConfig& sub_core,
                                          const MmaInstruction& instruction);

/// The timing of what a warp's program consists of: matrix instructions or vector instructions.
[[nodiscard]] InstructionTiming timing_of(const SubCoreConfig& sub_core,
                                          const WarpProgram& program);

/// The least time of the instructions of a CTA that runs so many k-steps: the warps of all CTAs of
/// an SM share its sub-cores, no better than evenly.
[[nodiscard]] Cycles issue_cycles(const SubCoreConfig& sub_core, const KernelLaunch& launch,
                                  std::int64_t steps);

}  // namespace stcsim
