#include "models/functional/functional_datapath.hpp"

#include <algorithm>
#include <utility>

#include "common/error.hpp"

namespace stcsim {
namespace {

std::string slot_name(const char* hook, std::int64_t sm, std::int64_t slot) {
  return std::string(hook) + ": sm " + std::to_string(sm) + " slot " + std::to_string(slot);
}

std::string group_name(const char* hook, std::int64_t sm, std::int64_t slot, std::int64_t warp,
                       std::int64_t step, std::int64_t group) {
  return slot_name(hook, sm, slot) + " warp " + std::to_string(warp) + " step " +
         std::to_string(step) + " group " + std::to_string(group);
}

std::string content_of(const StageBuffer& stage) {
  return stage.step() ? "holds step " + std::to_string(*stage.step()) : "is empty";
}

/// Dense hardware has one way of being written only.
FunctionalKernel checked(FunctionalKernel kernel) {
  if (kernel.pattern.is_dense()) kernel.pattern = kDense;
  validate(kernel);
  return kernel;
}

}  // namespace

FunctionalDatapath::FunctionalDatapath(const FunctionalKernel& kernel, FunctionalOperands operands,
                                       const std::optional<SelectionRules>& rules)
    : kernel_(checked(kernel)),
      operands_(std::move(operands)),
      shape_(kernel_),
      mma_(kernel_.problem.dtype, kernel_.pattern, shape_, kernel_.metadata),
      rules_{kernel_.problem.dtype, kernel_.pattern.of_outputs, shape_,
             FunctionalOperandSelector(kernel_.pattern, kernel_.metadata)},
      output_(kernel_),
      slots_(as_size(kernel_.num_sms * kernel_.slots_per_sm)) {
  validate(kernel_, operands_);
  if (rules) work_.emplace(*rules, kernel_.pattern, shape_, kernel_.metadata);
}

void FunctionalDatapath::begin_cta(std::int64_t sm, std::int64_t slot, const CtaCoordinates& cta) {
  Slot& place = slot_at(sm, slot, "begin_cta");
  if (place.cta) {
    throw SimulationError(slot_name("begin_cta", sm, slot) + " still runs a CTA");
  }
  output_.claim(cta);
  if (place.stages.empty()) allocate(place);
  place.cta = cta;
  for (StageBuffer& stage : place.stages) stage.poison();
  for (WarpRegisters& warp : place.warps) {
    warp.fetched = warp.executed = warp.read = warp.added = 0;
    std::ranges::fill(warp.accumulators, 0);
    std::ranges::fill(warp.mask, kPoison);
  }
}

void FunctionalDatapath::fill_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) {
  Slot& place = busy_slot(sm, slot, "fill_stage");
  require_step(place, step, [&] { return slot_name("fill_stage", sm, slot); });
  StageBuffer& stage = stage_of(place, step);
  if (stage.step()) {
    throw SimulationError(slot_name("fill_stage", sm, slot) + " step " + std::to_string(step) +
                          ": the stage still " + content_of(stage));
  }
  stage.fill(kernel_, operands_, *place.cta, step);
  if (step == 0 && kernel_.pattern.of_outputs) load_masks(place);
}

void FunctionalDatapath::load_masks(Slot& slot) const {
  const CompressedMatrix& mask = operands_.c_masks[as_size(slot.cta->batch)];
  const std::int64_t group_bits = kernel_.metadata_bits_per_group();
  const std::size_t words = as_size(shape_.metadata_words);
  for (std::int64_t warp = 0; warp < kernel_.warps(); ++warp) {
    const std::int64_t row =
        kernel_.first_row(*slot.cta) + warp / kernel_.warps_n % kernel_.warps_m * shape_.rows;
    const std::int64_t column =
        kernel_.first_column(*slot.cta) + warp % kernel_.warps_n * shape_.columns;
    const std::int64_t group = column / kernel_.pattern.m;
    const std::int64_t groups = std::clamp<std::int64_t>(mask.groups_per_row() - group, 0,
                                                         shape_.columns / kernel_.pattern.m);
    std::vector<std::uint32_t>& into = slot.warps[as_size(warp)].mask;
    std::ranges::fill(into, 0);
    for (std::int64_t at = 0; at < std::min(shape_.rows, mask.rows() - row); ++at) {
      copy_bits(mask.row_metadata(row + at), group * group_bits, groups * group_bits,
                std::span(into).subspan(as_size(at) * words, words));
    }
  }
}

void FunctionalDatapath::fetch_fragments(std::int64_t sm, std::int64_t slot, std::int64_t warp,
                                         std::int64_t step, std::int64_t group) {
  Slot& place = busy_slot(sm, slot, "fetch_fragments");
  const auto where = [&] { return group_name("fetch_fragments", sm, slot, warp, step, group); };
  require_group(place, warp, step, group, where);
  const StageBuffer& stage = stage_of(place, step);
  if (stage.step() != step) throw SimulationError(where() + ": the stage " + content_of(stage));
  WarpRegisters& unit = place.warps[as_size(warp)];
  const std::int64_t sequence = step * kernel_.groups_per_step() + group;
  if (sequence != unit.fetched) {
    throw SimulationError(where() + ": out of order, " + std::to_string(unit.fetched) +
                          " groups were fetched before");
  }
  if (unit.fetched - unit.executed == kernel_.fragment_buffers) {
    throw SimulationError(where() + ": all register buffers hold fragments not yet executed");
  }
  Fragment& fragment = unit.fragments[as_size(sequence % kernel_.fragment_buffers)];
  stage.read(kernel_, warp, group, fragment);
  if (kernel_.pattern.of_outputs) fragment.metadata = unit.mask;
  ++unit.fetched;
}

Fragment& FunctionalDatapath::next_fragment(std::int64_t sm, std::int64_t slot, std::int64_t warp,
                                            std::int64_t step, std::int64_t group,
                                            const char* hook) {
  Slot& place = busy_slot(sm, slot, hook);
  const auto where = [&] { return group_name(hook, sm, slot, warp, step, group); };
  require_group(place, warp, step, group, where);
  WarpRegisters& unit = place.warps[as_size(warp)];
  const std::int64_t sequence = step * kernel_.groups_per_step() + group;
  if (sequence != unit.executed) {
    throw SimulationError(where() + ": out of order, " + std::to_string(unit.executed) +
                          " groups were executed before");
  }
  if (sequence >= unit.fetched) {
    throw SimulationError(where() + ": its fragments have not been fetched");
  }
  return unit.fragments[as_size(sequence % kernel_.fragment_buffers)];
}

std::span<const InstructionWork> FunctionalDatapath::start_group(std::int64_t sm, std::int64_t slot,
                                                                 std::int64_t warp,
                                                                 std::int64_t step,
                                                                 std::int64_t group) {
  const Fragment& fragment = next_fragment(sm, slot, warp, step, group, "start_group");
  return work_ ? work_->of(fragment) : std::span<const InstructionWork>();
}

InstructionValues* FunctionalDatapath::values_of(std::int64_t sm, std::int64_t slot,
                                                 std::int64_t warp, std::int64_t group,
                                                 std::int64_t index) {
  Slot& place = busy_slot(sm, slot, "values_of");
  if (free_.empty()) {
    free_.push_back(
        &values_.emplace_back(rules_, [this](InstructionValues& one) { free_.push_back(&one); }));
  }
  InstructionValues* const values = free_.back();
  free_.pop_back();
  values->begin(place.warps[as_size(warp)], group, index);
  if (disturbed_) disturb(*values, *place.cta, warp, group, index);
  return values;
}

void FunctionalDatapath::disturb(std::int64_t bit, bool in_buffer) {
  if (kernel_.pattern.of_outputs) {
    CompressedMatrix& mask = operands_.c_masks.front();
    return mask.flip_metadata_bit(mask.place_of_bit(DataType::fp16, bit));
  }
  if (operands_.compressed_a.empty()) throw ConfigError("a dense operand has no metadata");
  CompressedMatrix& a = operands_.compressed_a.front();
  const MetadataPlace place = a.place_of_bit(kernel_.problem.dtype, bit);
  if (in_buffer) {
    disturbed_ = place;
  } else {
    a.flip_metadata_bit(place);
  }
}

void FunctionalDatapath::disturb(InstructionValues& values, const CtaCoordinates& cta,
                                 std::int64_t warp, std::int64_t group, std::int64_t index) const {
  const std::int64_t across = shape_.columns / shape_.instruction_columns;
  const bool has_first_columns =
      cta.batch == 0 && cta.tile_n == 0 && warp % kernel_.warps_n == 0 && index % across == 0;
  const std::int64_t first_row = kernel_.first_row(cta) +
                                 warp / kernel_.warps_n % kernel_.warps_m * shape_.rows +
                                 index / across * shape_.instruction_rows;
  const std::int64_t step = group / kernel_.groups_per_step();
  const std::int64_t slice = warp / (kernel_.warps_m * kernel_.warps_n);
  const std::int64_t part = slice * kernel_.groups_per_step() + group % kernel_.groups_per_step();
  const std::int64_t first_k = cta.k_begin + step * kernel_.tile_k + part * kernel_.instruction_k;
  const std::int64_t row = disturbed_->row - first_row;
  const std::int64_t within = disturbed_->group - first_k / kernel_.pattern.m;
  const std::int64_t groups = kernel_.instruction_k / kernel_.pattern.m;
  if (!has_first_columns || row < 0 || row >= shape_.instruction_rows) return;
  if (within < 0 || within >= groups) return;
  values.disturb({row, within * kernel_.metadata_bits_per_group() + disturbed_->bit});
}

void FunctionalDatapath::execute_mma(std::int64_t sm, std::int64_t slot, std::int64_t warp,
                                     std::int64_t step, std::int64_t group) {
  Fragment& fragment = next_fragment(sm, slot, warp, step, group, "execute_mma");
  WarpRegisters& unit = busy_slot(sm, slot, "execute_mma").warps[as_size(warp)];
  mma_.execute(fragment, unit.accumulators);
  poison(fragment);
  ++unit.executed;
  unit.added += shape_.instructions();
}

void FunctionalDatapath::release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) {
  Slot& place = busy_slot(sm, slot, "release_stage");
  const auto where = [&] {
    return slot_name("release_stage", sm, slot) + " step " + std::to_string(step);
  };
  require_step(place, step, [&] { return slot_name("release_stage", sm, slot); });
  StageBuffer& stage = stage_of(place, step);
  if (stage.step() != step) throw SimulationError(where() + ": the stage " + content_of(stage));
  const std::int64_t needed = (step + 1) * kernel_.groups_per_step();
  for (std::size_t warp = 0; warp < place.warps.size(); ++warp) {
    if (place.warps[warp].fetched >= needed) continue;
    throw SimulationError(where() + ": warp " + std::to_string(warp) +
                          " has not read the stage completely");
  }
  stage.poison();
}

void FunctionalDatapath::store_tile(std::int64_t sm, std::int64_t slot) {
  Slot& place = busy_slot(sm, slot, "store_tile");
  const std::int64_t needed = kernel_.steps(*place.cta) * kernel_.groups_per_step();
  for (std::size_t warp = 0; warp < place.warps.size(); ++warp) {
    const WarpRegisters& unit = place.warps[warp];
    const std::int64_t instructions = needed * shape_.instructions();
    if (unit.executed == needed && unit.added == instructions) continue;
    const std::string so_far = unit.executed < needed
                                   ? "executed " + std::to_string(unit.executed) + " of " +
                                         std::to_string(needed) + " mma groups"
                                   : "added up " + std::to_string(unit.added) + " of " +
                                         std::to_string(instructions) + " instructions";
    throw SimulationError(slot_name("store_tile", sm, slot) + " warp " + std::to_string(warp) +
                          ": " + so_far);
  }
  output_.store(*place.cta, gather_tile(place));
  place.cta.reset();
}

FunctionalDatapath::Slot& FunctionalDatapath::slot_at(std::int64_t sm, std::int64_t slot,
                                                      const char* hook) {
  if (sm < 0 || sm >= kernel_.num_sms || slot < 0 || slot >= kernel_.slots_per_sm) {
    throw SimulationError(slot_name(hook, sm, slot) + " does not exist");
  }
  return slots_[as_size(sm * kernel_.slots_per_sm + slot)];
}

FunctionalDatapath::Slot& FunctionalDatapath::busy_slot(std::int64_t sm, std::int64_t slot,
                                                        const char* hook) {
  Slot& place = slot_at(sm, slot, hook);
  if (!place.cta) throw SimulationError(slot_name(hook, sm, slot) + " runs no CTA");
  return place;
}

StageBuffer& FunctionalDatapath::stage_of(Slot& slot, std::int64_t step) const {
  return slot.stages[as_size(step % kernel_.stages)];
}

template <typename Name>
void FunctionalDatapath::require_step(const Slot& slot, std::int64_t step, Name where) const {
  const std::int64_t steps = kernel_.steps(*slot.cta);
  if (step >= 0 && step < steps) return;
  throw SimulationError(where() + ": there is no step " + std::to_string(step) + ", the CTA has " +
                        std::to_string(steps));
}

template <typename Name>
void FunctionalDatapath::require_group(const Slot& slot, std::int64_t warp, std::int64_t step,
                                       std::int64_t group, Name where) const {
  require_step(slot, step, where);
  if (warp >= 0 && warp < kernel_.warps() && group >= 0 && group < kernel_.groups_per_step()) {
    return;
  }
  throw SimulationError(where() + ": the CTA has " + std::to_string(kernel_.warps()) +
                        " warps and " + std::to_string(kernel_.groups_per_step()) +
                        " groups per step");
}

void FunctionalDatapath::allocate(Slot& slot) const {
  slot.stages.assign(as_size(kernel_.stages), StageBuffer(kernel_));
  Fragment fragment;
  fragment.a.assign(as_size(shape_.rows * shape_.stored_values), kPoison);
  fragment.metadata.assign(as_size(shape_.rows * shape_.metadata_words), kPoison);
  fragment.b.assign(as_size(shape_.k * shape_.pitch), kPoison);
  WarpRegisters warp;
  warp.fragments.assign(as_size(kernel_.fragment_buffers), fragment);
  warp.accumulators.resize(as_size(shape_.rows * shape_.outputs_pitch));
  warp.mask.resize(as_size(kernel_.pattern.of_outputs ? shape_.rows * shape_.metadata_words : 0));
  slot.warps.assign(as_size(kernel_.warps()), warp);
}

/// The CTA's accumulators as one tile_m x tile_n tile, k slices summed in ascending order. What is
/// not computed is poison.
std::vector<std::uint32_t> FunctionalDatapath::gather_tile(const Slot& slot) const {
  const bool is_partial = kernel_.pattern.of_outputs;
  std::vector<std::uint32_t> tile(as_size(kernel_.tile_m * kernel_.tile_n),
                                  is_partial ? kPoison : 0);
  std::vector<std::int32_t> places(as_size(shape_.outputs));
  const std::int64_t columns = kernel_.warp_columns();
  for (std::int64_t warp = 0; warp < kernel_.warps(); ++warp) {
    const std::int64_t first_row = warp / kernel_.warps_n % kernel_.warps_m * shape_.rows;
    const std::int64_t first_column = warp % kernel_.warps_n * columns;
    const WarpRegisters& registers = slot.warps[as_size(warp)];
    for (std::int64_t row = 0; row < shape_.rows; ++row) {
      const auto from = std::span(registers.accumulators)
                            .subspan(as_size(row * shape_.outputs_pitch), as_size(shape_.outputs));
      const auto into = std::span(tile).subspan(
          as_size((first_row + row) * kernel_.tile_n + first_column), as_size(columns));
      if (is_partial) {
        rules_.selector.select(
            std::span(registers.mask)
                .subspan(as_size(row * shape_.metadata_words), as_size(shape_.metadata_words)),
            places);
        for (std::size_t at = 0; at < places.size(); ++at) {
          if (places[at] < columns) into[static_cast<std::size_t>(places[at])] = from[at];
        }
        continue;
      }
      add_words(accumulator_of(kernel_.problem.dtype), from, into);
    }
  }
  return tile;
}

}  // namespace stcsim
