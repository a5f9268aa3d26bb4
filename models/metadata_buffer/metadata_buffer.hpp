#pragma once

#include <cstdint>

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/operand_selector/operand_selector_config.hpp"

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
  /// Of these, what decoding takes.
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

}  // namespace stcsim
