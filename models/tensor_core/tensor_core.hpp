#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

class MetadataBuffer;

/// Decodes the metadata words of sparse instructions into the selector's settings: the stage behind
/// the buffer where instructions pass event by event. In closed form the buffer speaks for it.
class MetadataDecoder final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"metadata_decoder", "turns metadata into settings of selectors"};

  /// @param config  outlives it
  explicit MetadataDecoder(const OperandSelectorConfig& config) : config_(&config) {}

  /// Where it finds the words that it decodes; null where no values are carried.
  Wired<MetadataBuffer*> buffer;

  /// Cycles it decodes the words of one instruction; none of a dense one.
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     std::int64_t metadata_bytes);

  /// What it did in a launch of instructions that pass event by event.
  [[nodiscard]] Cycles busy() const { return kept(0); }

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override;
  [[nodiscard]] Cycles own_cycles_of(const StageMessage& message) const override {
    return cycles(*config_, message.work.metadata_bytes);
  }
  /// The words end here.
  std::int64_t use(StageMessage& message, Cycle now) override;
  void work_on(const StageMessage& message) override;

  const OperandSelectorConfig* config_;
};

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
                                     const MmaInstruction& instruction) {
    return cycles(config, operands_of(instruction).metadata_bytes);
  }
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     std::int64_t metadata_bytes);

  /// busy: decoding; filling: waits for words that come in; then as other stages.
  /// @param decoder  tells what it did, if instructions pass event by event
  template <class Visitor>
  void visit_statistics(Visitor& visitor, const MetadataDecoder& decoder, std::int64_t instructions,
                        Cycle end) const {
    const Cycles busy = passes_messages() ? decoder.busy() : decoding_ * instructions;
    visitor.bucket("busy", busy);
    visitor.bucket("filling", kept(instructions) - busy);
    visit_waits(visitor, instructions, end);
  }
  /// The words of the instruction that came in first, which leave it. Throws SimulationError if
  /// there are none.
  [[nodiscard]] std::vector<std::uint32_t> take_words();
  /// Has a circuit decide whether there is room, event by event: a queue that holds the words of an
  /// instruction in each of its places.
  /// @param queue  outlives the launches; null: none
  void count_in(ClockedUnit* queue) { queue_ = queue; }

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override;
  [[nodiscard]] Cycles own_cycles_of(const StageMessage& message) const override {
    return cycles(*config_, message.work.metadata_bytes);
  }
  /// Takes in the words, which are decoded as they come or, without room for a second
  /// instruction's, when all are there.
  std::int64_t use(StageMessage& message, Cycle now) override;
  /// Not before it has room for the message's words beside those that are not decoded yet.
  [[nodiscard]] bool may_begin(const StageMessage& message, Cycle now) const override;
  void work_on(const StageMessage& message) override;
  /// Words that have to be there before they are decoded come on top of the latency.
  void amend(const WarpProgram& program, InstructionPace& pace) const override;

  /// What it holds of one instruction.
  struct Held {
    std::int64_t bytes = 0;
    std::vector<std::uint32_t> words;
  };

  /// Tells the queue what has been decoded since.
  void let_go(std::int64_t bytes, Cycle now) const;

  const OperandSelectorConfig* config_;
  Cycles decoding_;
  std::vector<Held> held_;  // the first that came in first
  Wired<ClockedUnit*> queue_;
  mutable std::int64_t queued_ = 0;  // instructions in it
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
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override;
  [[nodiscard]] Cycles own_cycles_of(const StageMessage& message) const override;
  /// B ends here: what it has selected goes on with A.
  std::int64_t use(StageMessage& message, Cycle now) override;
  void work_on(const StageMessage& message) override;
  [[nodiscard]] std::int64_t registers() const override { return config_->selector_stages; }
  /// No result is there before all values have been selected.
  void amend(const WarpProgram&, InstructionPace& pace) const override {
    pace.latency = std::max(pace.latency, own());
  }

  const OperandSelectorConfig* config_;
  const TensorCoreConfig* multipliers_;
  Cycles products_;  // that the multipliers take for all kept values
};

/// The multiply-accumulate array of one tensor core.
class Multipliers final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"multipliers", "the multiply-accumulate array"};

  /// @param config  outlives it
  /// @param is_last  it passes nothing on
  explicit Multipliers(const TensorCoreConfig& config, bool is_last = true)
      : config_(&config), is_last_(is_last) {}
  template <class Visitor>
  void visit_stage_wires(Visitor& visitor) {
    if (!is_last_) PassingStage::visit_stage_wires(visitor);
  }

  /// Cycles the kept products of one instruction keep the array busy. The machine must multiply its
  /// type.
  [[nodiscard]] static Cycles cycles(const TensorCoreConfig& config,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }
  [[nodiscard]] Cycles own_cycles_of(const StageMessage& message) const override;
  std::int64_t use(StageMessage& message, Cycle now) override;
  void work_on(const StageMessage& message) override;
  /// The tensor core's bubble times own / interval, as a wait of the multipliers costs nothing
  /// while they would be idle anyway.
  void amend(const WarpProgram& program, InstructionPace& pace) const override;

  const TensorCoreConfig* config_;
  bool is_last_;
};

/// Where the products of instructions that pass event by event are added up: each result is there
/// so long after the multipliers have begun as an instruction takes from issue to result that waits
/// for no metadata.
class Accumulators final : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"accumulators", "add up products, hold them until results"};

  /// @param config  outlives it
  explicit Accumulators(const TensorCoreConfig& config) : config_(&config) {}

  /// From the issue of one of the launch's instructions to its result.
  [[nodiscard]] static Cycles latency(const TensorCoreConfig& config, const WarpProgram& program);

  /// Who is told of the first and the last result of a group; nobody if null.
  Wired<Inbox<GroupProgress>*> progress;

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    latency_ = program.instruction ? latency(*config_, program) : Cycles();
    return {};
  }
  std::int64_t use(StageMessage& message, Cycle now) override;
  void work_on(const StageMessage& message) override;
  /// When its results are there.
  [[nodiscard]] Cycle seen_from(const StageMessage& message, Cycle now) const override {
    return std::max({now + kOneCycle, message.first + latency_, message.last});
  }

  const TensorCoreConfig* config_;
  Cycles latency_;
};

/// The tensor core of one sub-core: metadata buffer, operand selector and multipliers, which every
/// instruction passes in this order (a dense one keeps only the multipliers).
struct TensorCore {
  static constexpr UnitKind kKind{"tensor_core", "matrix instructions, dense and sparse"};
  static constexpr Hooks kHooks{
      .visit_children = true, .connect_stages = true, .first_stage = true};

  /// @param config, selector  outlive it
  /// @param by_messages  it has all stages, and passes instructions event by event
  TensorCore(const TensorCoreConfig& config, const OperandSelectorConfig& selector,
             bool by_messages = false)
      : passes_messages(by_messages),
        metadata_buffer(selector),
        decoder(selector),
        operand_selector(selector, config),
        multipliers(config, !by_messages),
        accumulators(config) {}

  bool passes_messages;
  MetadataBuffer metadata_buffer;
  MetadataDecoder decoder;
  OperandSelector operand_selector;
  Multipliers multipliers;
  Accumulators accumulators;
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("metadata_buffer", metadata_buffer);
    if (passes_messages) visitor.child("metadata_decoder", decoder);
    visitor.child("operand_selector", operand_selector);
    visitor.child("multipliers", multipliers);
    if (passes_messages) visitor.child("accumulators", accumulators);
  }
  /// Has circuits stand in for stages, of the data that moves; null: none.
  void stand_in(Datapath* data) {
    const auto circuit_of = [&](const UnitKind& stage) {
      return data != nullptr ? data->circuit_of(stage) : nullptr;
    };
    metadata_buffer.count_in(circuit_of(MetadataBuffer::kKind));
    decoder.stand_in(circuit_of(MetadataDecoder::kKind));
    operand_selector.stand_in(circuit_of(OperandSelector::kKind));
  }
  template <class Wires>
  void connect_stages(Wires& wires) {
    if (passes_messages) {
      wires.connect(metadata_buffer.next, decoder);
      decoder.buffer = &metadata_buffer;
      wires.connect(decoder.next, operand_selector);
      wires.connect(multipliers.next, accumulators);
    } else {
      wires.connect(metadata_buffer.next, operand_selector);
    }
    wires.connect(operand_selector.next, multipliers);
  }
};

[[nodiscard]] inline PipelineStage& first_stage(TensorCore& tensor_core) {
  return tensor_core.metadata_buffer;
}

}  // namespace stcsim
