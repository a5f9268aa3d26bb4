#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "models/base/launch_observers.hpp"
#include "models/functional/functional_kernel.hpp"
#include "models/functional/instruction_values.hpp"
#include "models/functional/mma.hpp"
#include "models/functional/selection_work.hpp"
#include "models/functional/tile_buffers.hpp"

namespace stcsim {

/// Carries the operands' values through the machine: global memory, shared-memory stages, the
/// warps' register fragments, operand selector, multipliers, accumulators, C.
///
/// Data exist only where the machine has moved them: storage is poisoned when it is released or
/// its content has been used. Each hook throws SimulationError, naming the unit and where it stood,
/// if the machine's control is wrong: a stage is filled before it was released, read before it was
/// filled or after its release, released before all warps have read it; a fragment is used before
/// it was fetched or overwritten before it was used; mma groups run out of order; a tile is stored
/// before all its groups have run.
class FunctionalDatapath : public Datapath {
 public:
  /// Throws ConfigError if the kernel is invalid (see validate()) or the operands are not
  /// make_operands() of this kernel.
  /// @param rules  by which the values make work; nothing: they do not
  FunctionalDatapath(const FunctionalKernel& kernel, FunctionalOperands operands,
                     const std::optional<SelectionRules>& rules = {});

  void begin_cta(std::int64_t sm, std::int64_t slot, const CtaCoordinates& cta) override;
  void fill_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) override;
  void fetch_fragments(std::int64_t sm, std::int64_t slot, std::int64_t warp, std::int64_t step,
                       std::int64_t group) override;
  std::span<const InstructionWork> start_group(std::int64_t sm, std::int64_t slot,
                                               std::int64_t warp, std::int64_t step,
                                               std::int64_t group) override;
  InstructionValues* values_of(std::int64_t sm, std::int64_t slot, std::int64_t warp,
                               std::int64_t group, std::int64_t index) override;
  void execute_mma(std::int64_t sm, std::int64_t slot, std::int64_t warp, std::int64_t step,
                   std::int64_t group) override;
  ClockedUnit* circuit_of(const UnitKind& stage) override {
    return rules_.selector.circuit_of(stage);
  }
  void release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) override;
  void store_tile(std::int64_t sm, std::int64_t slot) override;

  /// Where stages pass messages: has that circuit decode metadata and select.
  void stand_in(SelectionCircuit* circuit) {
    rules_.selector.stand_in(circuit);
    if (work_) work_->stand_in(circuit);
  }

  /// Has a bit of the first batch entry's metadata inverted (CompressedMatrix::place_of_bit): in
  /// memory, or where stages pass messages in the buffer while it holds the words of an instruction
  /// of C's first columns; a mask's always in memory. Throws ConfigError if there is no such bit.
  void disturb(std::int64_t bit, bool in_buffer);

  /// The separate reduction launch of split-K; call it once, after all tiles have been stored.
  void reduce_split_k() { output_.reduce_split_k(); }

  /// The finished C. Throws SimulationError if a tile or the split-K reduction is missing.
  [[nodiscard]] const GlobalTensor& c() const { return output_.c(); }
  /// C where CTAs were left out: the elements whose tiles were stored. Without split-K.
  [[nodiscard]] const GlobalTensor& c_so_far() const { return output_.c_so_far(); }
  [[nodiscard]] bool is_stored(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return output_.is_stored(batch, row, column);
  }

 private:
  struct Slot {
    std::optional<CtaCoordinates> cta;
    std::vector<StageBuffer> stages;
    std::vector<WarpRegisters> warps;
  };

  Slot& busy_slot(std::int64_t sm, std::int64_t slot, const char* hook);
  Slot& slot_at(std::int64_t sm, std::int64_t slot, const char* hook);
  StageBuffer& stage_of(Slot& slot, std::int64_t step) const;
  /// where(): the beginning of the error's text, made only if there is one.
  template <typename Name>
  void require_group(const Slot& slot, std::int64_t warp, std::int64_t step, std::int64_t group,
                     Name where) const;
  template <typename Name>
  void require_step(const Slot& slot, std::int64_t step, Name where) const;
  /// The fragment of the warp's next group, which is that one.
  Fragment& next_fragment(std::int64_t sm, std::int64_t slot, std::int64_t warp, std::int64_t step,
                          std::int64_t group, const char* hook);
  /// Does so to an instruction that is the one.
  void disturb(InstructionValues& values, const CtaCoordinates& cta, std::int64_t warp,
               std::int64_t group, std::int64_t index) const;
  void allocate(Slot& slot) const;
  void load_masks(Slot& slot) const;
  [[nodiscard]] std::vector<std::uint32_t> gather_tile(const Slot& slot) const;

  FunctionalKernel kernel_;
  FunctionalOperands operands_;
  FragmentShape shape_;
  MmaUnit mma_;
  std::optional<SelectionWork> work_;
  InstructionRules rules_;
  std::deque<InstructionValues> values_;  // of instructions on their way, or free
  std::vector<InstructionValues*> free_;
  std::optional<MetadataPlace> disturbed_;
  OutputBuffer output_;
  std::vector<Slot> slots_;  // sm-major
};

}  // namespace stcsim
