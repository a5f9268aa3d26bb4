#pragma once

#include <cstdint>

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// Holds the metadata words of sparse instructions and decodes them into the selector's settings.
/// It is filled from the register file. Where it has room for the words of two instructions, those
/// of the next come in while the ones before are decoded; else decoding stalls while it is filled.
class MetadataBuffer final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"metadata_buffer",
                                  "holds and decodes metadata of sparse operands"};

  /// @param config  outlives it
  explicit MetadataBuffer(const OperandSelectorConfig& config) : config_(&config) {}

  /// Cycles the words of one instruction keep the buffer; none of a dense one.
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     const MmaInstruction& instruction);
  /// The part of these that decoding takes.
  [[nodiscard]] static Cycles decoding_cycles(const OperandSelectorConfig& config,
                                              const MmaInstruction& instruction);

  /// busy: decoding; filling: waits for words that come in; then as other stages.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, std::int64_t instructions, Cycle end) const {
    visitor.bucket("busy", decoding_ * instructions);
    visitor.bucket("filling", (own() - decoding_) * instructions);
    visit_waits(visitor, instructions, end);
  }

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    decoding_ = program.instruction ? decoding_cycles(*config_, *program.instruction) : Cycles();
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }

  const OperandSelectorConfig* config_;
  Cycles decoding_;
};

/// Takes the B fragment of a sparse instruction and passes on, for each row of A, the values its
/// metadata points at: m values in for every n out. Every multiplier has a multiplexer in front of
/// it; where that sees only a part of a group, its values take several passes. What is selected is
/// carried out in models/functional/mma.hpp.
class OperandSelector final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"operand_selector", "picks the values of B that metadata name"};

  /// @param config, multipliers  outlive it
  OperandSelector(const OperandSelectorConfig& config, const TensorCoreConfig& multipliers)
      : config_(&config), multipliers_(&multipliers) {}

  /// Cycles all of the instruction's B takes through the selector's input, or its kept values
  /// through the multiplexers if they take several passes; none for a dense one.
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     const TensorCoreConfig& multipliers,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? cycles(*config_, *multipliers_, *program.instruction) : Cycles();
  }

  const OperandSelectorConfig* config_;
  const TensorCoreConfig* multipliers_;
};

/// The multiply-accumulate array of one tensor core: the last stage of matrix instructions.
class Multipliers final : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"multipliers", "the multiply-accumulate array"};

  /// @param config  outlives it
  explicit Multipliers(const TensorCoreConfig& config) : config_(&config) {}

  /// Cycles the kept products of one instruction keep the array busy. The machine must multiply its
  /// type.
  [[nodiscard]] static Cycles cycles(const TensorCoreConfig& config,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }
  /// The tensor core's bubble times own / interval, as a wait of the multipliers costs nothing
  /// while they would be idle anyway.
  [[nodiscard]] InstructionPace pace_at_end(const WarpProgram& program,
                                            Cycles slowest) const override;

  const TensorCoreConfig* config_;
};

/// The tensor core of one sub-core: metadata buffer, operand selector and multipliers, which every
/// instruction passes in this order (a dense one keeps only the multipliers).
struct TensorCore {
  static constexpr UnitKind kKind{"tensor_core", "matrix instructions, dense and sparse"};
  static constexpr Hooks kHooks{
      .visit_children = true, .connect_stages = true, .first_stage = true};

  /// @param config, selector  outlive it
  TensorCore(const TensorCoreConfig& config, const OperandSelectorConfig& selector)
      : metadata_buffer(selector), operand_selector(selector, config), multipliers(config) {}

  MetadataBuffer metadata_buffer;
  OperandSelector operand_selector;
  Multipliers multipliers;
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("metadata_buffer", metadata_buffer);
    visitor.child("operand_selector", operand_selector);
    visitor.child("multipliers", multipliers);
  }
  template <class Wires>
  void connect_stages(Wires& wires) {
    wires.connect(metadata_buffer.next, operand_selector);
    wires.connect(operand_selector.next, multipliers);
  }
};

[[nodiscard]] inline PipelineStage& first_stage(TensorCore& tensor_core) {
  return tensor_core.metadata_buffer;
}

}  // namespace stcsim
