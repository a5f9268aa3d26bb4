#include "tests/property/selection_case.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kBitsOfByte = 8;
constexpr std::int64_t kElementBits = 16;

std::int64_t whole_bytes(std::int64_t bits) {
  return ceil_div(bits, kBitsOfByte);
}

MachineConfig draw_machine(Dice& dice) {
  MachineConfig machine = tiny_machine();
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  machine.stacks = {{"kept_sparse", kOwnKernels, kBySearch, kOwnKernels, kBySearch}};
  machine.kernels = {make_kernel("dense", false, 32, 16, 32, 2, 2, 1),
                     make_kernel("sparse", true, 32, 16, 128, 2, 2, 1)};
  sm.detail = Detail::stages;
  sm.sub_cores = dice.between(1, 2);
  sm.shared_memory = {1 << 20, 1 << 19, 1024, 32, 4, 128, 20, 5};
  OperandSelectorConfig& selector = sm.operand_selector;
  const std::vector<Pattern> patterns{{2, 4}, {1, 8}, {2, 8}, {4, 8}, {4, 16}, {8, 32}, {4, 8, 2}};
  selector.native_patterns = {
      patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))]};
  selector.b_bytes_per_clk = dice.one_of({64, 4096});
  selector.skipped_zeros = static_cast<SkippedZeros>(dice.between(0, 3));
  selector.skip_window = dice.one_of({1, 2, 3, selector.native_patterns.front().n, 65536});
  selector.lane_inputs = dice.one_of({1, 2, 3, 4, field::kMostUnits});
  if (dice.between(0, 3) == 0) selector.lanes = Lanes::butterfly;
  selector.has_packed_slots = dice.between(0, 1) == 0;
  selector.metadata_coding = dice.between(0, 1) == 0 ? "index" : "bitmask";
  return machine;
}

/// A matrix of the pattern in which every group is full.
PlainMatrix draw_full_a(const GemmProblem& problem, Dice& dice) {
  PlainMatrix a(1, problem.m, problem.k);
  const Pattern pattern = problem.a_pattern;
  for (std::int64_t row = 0; row < problem.m; ++row) {
    for (std::int64_t first = 0; first < problem.k; first += pattern.m) {
      std::set<std::int64_t> kept;
      while (std::ssize(kept) < pattern.n / pattern.granule) {
        kept.insert(dice.between(0, pattern.m / pattern.granule - 1));
      }
      for (const std::int64_t granule : kept) {
        for (std::int64_t at = 0; at < pattern.granule; ++at) {
          a.at(0, row, first + granule * pattern.granule + at) =
              static_cast<float>(dice.between(1, 9));
        }
      }
    }
  }
  return a;
}

/// A matrix of the pattern, with fewer values than that in many groups.
PlainMatrix draw_a(const GemmProblem& problem, Dice& dice) {
  PlainMatrix a(1, problem.m, problem.k);
  const Pattern pattern = problem.a_pattern;
  for (std::int64_t row = 0; row < problem.m; ++row) {
    for (std::int64_t first = 0; first < problem.k; first += pattern.m) {
      for (std::int64_t drawn = dice.between(0, pattern.n); drawn > 0; drawn -= pattern.granule) {
        const std::int64_t place = first + dice.between(0, pattern.m - 1);
        if (place < problem.k) a.at(0, row, place) = static_cast<float>(dice.between(1, 9));
      }
    }
  }
  return a;
}

PlainMatrix draw_b(const GemmProblem& problem, Dice& dice) {
  PlainMatrix b(1, problem.k, problem.n);
  const std::int64_t zeros = dice.one_of({0, 5, 9});
  for (float& value : b.values) {
    value = static_cast<float>(dice.between(0, 9) < zeros ? 0 : dice.between(1, 9));
  }
  return b;
}

/// The places of a group's slots: those of granules that hold a value, filled up with the lowest
/// others, in ascending order.
std::vector<std::int64_t> places_of(const SelectionCase& one, std::int64_t row,
                                    std::int64_t first) {
  const Pattern pattern = one.problem.a_pattern;
  const auto holds = [&](std::int64_t granule) {
    for (std::int64_t at = 0; at < pattern.granule; ++at) {
      const std::int64_t k = first + granule * pattern.granule + at;
      if (row < one.problem.m && k < one.problem.k && one.operands.a->at(0, row, k) != 0) {
        return true;
      }
    }
    return false;
  };
  std::set<std::int64_t> kept;
  const std::int64_t granules = pattern.m / pattern.granule;
  for (std::int64_t at = 0; at < granules; ++at) {
    if (holds(at)) kept.insert(at);
  }
  for (std::int64_t at = 0; std::ssize(kept) < pattern.n / pattern.granule; ++at) kept.insert(at);
  std::vector<std::int64_t> places;
  for (const std::int64_t granule : kept) {
    for (std::int64_t at = 0; at < pattern.granule; ++at) {
      places.push_back(first + granule * pattern.granule + at);
    }
  }
  return places;
}

/// One instruction: rows, columns and k from these on.
class PlainInstruction {
 public:
  PlainInstruction(const SelectionCase& one, const MmaInstruction& instruction, std::int64_t row,
                   std::int64_t column, std::int64_t k)
      : one_(one),
        selector_(one.runner->machine().accelerator.sm.operand_selector),
        instruction_(instruction),
        first_column_(column) {
    for (std::int64_t at = row; at < row + instruction.m; ++at) {
      std::vector<std::int64_t>& slots = slots_.emplace_back();
      rows_.push_back(at);
      for (std::int64_t group = k; group < k + instruction.k; group += instruction.pattern.m) {
        const auto places = places_of(one, at, group);
        slots.insert(slots.end(), places.begin(), places.end());
      }
    }
    first_k_ = k;
  }

  /// Slot times: in each window as many as the row and column with most products needs.
  [[nodiscard]] std::int64_t slot_times() const {
    const auto all = std::ssize(slots_.front());
    if (selector_.skipped_zeros == SkippedZeros::none) return all;
    std::int64_t sum = 0;
    for (std::int64_t first = 0; first < all; first += selector_.skip_window) {
      const std::int64_t end = std::min<std::int64_t>(first + selector_.skip_window, all);
      std::int64_t most = 0;
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (std::int64_t column = 0; column < instruction_.n; ++column) {
          std::int64_t count = 0;
          for (std::int64_t slot = first; slot < end; ++slot) count += is_needed(row, slot, column);
          most = std::max(most, count);
        }
      }
      sum += most;
    }
    return sum;
  }
  /// Parts of groups in which some row has a place to look at.
  [[nodiscard]] std::int64_t looks() const {
    const Pattern pattern = instruction_.pattern;
    std::int64_t sum = 0;
    for (std::int64_t group = 0; group < instruction_.k / pattern.m; ++group) {
      if (selector_.lanes == Lanes::butterfly) {
        sum += passes_of_butterfly(group);
        continue;
      }
      std::set<std::int64_t> parts;
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (std::int64_t slot = group * pattern.n; slot < (group + 1) * pattern.n; ++slot) {
          const std::int64_t place = slots_[row][static_cast<std::size_t>(slot)];
          if (skips(SkippedZeros::a) && a(row, place) == 0) continue;
          const std::int64_t inside = place - first_k_ - group * pattern.m;
          parts.insert(inside / pattern.granule / selector_.lane_inputs);
        }
      }
      sum += std::max<std::int64_t>(1, std::ssize(parts));
    }
    return sum;
  }
  [[nodiscard]] std::int64_t a_bytes() const {
    std::int64_t bytes = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      bytes += whole_bytes(values_in(row) * kElementBits);
    }
    return bytes;
  }
  [[nodiscard]] std::int64_t b_bytes() const {
    return instruction_.n * whole_bytes(instruction_.k * kElementBits);
  }
  [[nodiscard]] std::int64_t metadata_bytes() const {
    const Pattern pattern = instruction_.pattern;
    const std::int64_t groups = instruction_.k / pattern.m;
    const std::int64_t granules = pattern.m / pattern.granule;
    std::int64_t bytes = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::int64_t positions =
          selector_.has_packed_slots ? values_in(row) : groups * pattern.n;
      std::int64_t bits = groups * granules;  // masks
      if (selector_.metadata_coding == "index") {
        bits = positions * bits_for(granules - 1) / pattern.granule;
        if (selector_.has_packed_slots) bits += groups * bits_for(pattern.n);
      }
      bytes += whole_bytes(bits);
    }
    return bytes;
  }

 private:
  /// The most granules of a row that have to pass one wire, of those kept.
  [[nodiscard]] std::int64_t passes_of_butterfly(std::int64_t group) const {
    const Pattern pattern = instruction_.pattern;
    std::int64_t most = 1;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      std::map<std::int64_t, std::set<std::int64_t>> of_wire;
      for (std::int64_t slot = group * pattern.n; slot < (group + 1) * pattern.n; ++slot) {
        const std::int64_t place = slots_[row][static_cast<std::size_t>(slot)];
        if (skips(SkippedZeros::a) && a(row, place) == 0) continue;
        const std::int64_t granule = (place - first_k_ - group * pattern.m) / pattern.granule;
        of_wire[granule % (pattern.n / pattern.granule)].insert(granule);
      }
      for (const auto& wire : of_wire) most = std::max(most, std::ssize(wire.second));
    }
    return most;
  }
  static std::int64_t bits_for(std::int64_t largest) {
    std::int64_t bits = 0;
    for (; largest > 0; largest /= 2) ++bits;
    return bits;
  }
  [[nodiscard]] bool skips(SkippedZeros which) const {
    return selector_.skipped_zeros == which || selector_.skipped_zeros == SkippedZeros::both;
  }
  [[nodiscard]] float a(std::size_t row, std::int64_t k) const {
    const bool is_inside = rows_[row] < one_.problem.m && k < one_.problem.k;
    return is_inside ? one_.operands.a->at(0, rows_[row], k) : 0;
  }
  [[nodiscard]] float b(std::int64_t k, std::int64_t column) const {
    const bool is_inside = k < one_.problem.k && column < one_.problem.n;
    return is_inside ? one_.operands.b->at(0, k, column) : 0;
  }
  [[nodiscard]] bool is_needed(std::size_t row, std::int64_t slot, std::int64_t column) const {
    const std::int64_t place = slots_[row][static_cast<std::size_t>(slot)];
    if (skips(SkippedZeros::a) && a(row, place) == 0) return false;
    return !skips(SkippedZeros::b) || b(place, first_column_ + column) != 0;
  }
  /// Slots that are stored.
  [[nodiscard]] std::int64_t values_in(std::size_t row) const {
    if (!selector_.has_packed_slots) return std::ssize(slots_[row]);
    return std::count_if(slots_[row].begin(), slots_[row].end(),
                         [&](std::int64_t place) { return a(row, place) != 0; });
  }

  const SelectionCase& one_;
  const OperandSelectorConfig& selector_;
  const MmaInstruction& instruction_;
  std::int64_t first_column_;
  std::int64_t first_k_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<std::vector<std::int64_t>> slots_;  // of each row: the k of every slot
};

void add(const SelectionCase& one, const MmaInstruction& instruction, const PlainInstruction& plain,
         StageTotals& totals) {
  const StreamingMultiprocessorConfig& sm = one.runner->machine().accelerator.sm;
  const std::int64_t slots = instruction.k / instruction.pattern.m * instruction.pattern.n;
  const std::int64_t groups = instruction.k / instruction.pattern.m;
  const std::int64_t whole =
      instruction.m * instruction.n * slots / sm.tensor_core.fma_per_clk(instruction.dtype);
  totals.multiply_cycles += ceil_div(whole * plain.slot_times(), slots);
  const std::int64_t bytes = plain.a_bytes() + plain.b_bytes() + plain.metadata_bytes();
  totals.supply_cycles += ceil_div(bytes, sm.operand_fetch.register_bytes_per_clk);
  const std::int64_t input = ceil_div(plain.b_bytes(), sm.operand_selector.b_bytes_per_clk);
  const std::int64_t looks = plain.looks();
  totals.select_cycles +=
      looks <= groups ? input : std::max(input, ceil_div(whole * looks, groups));
  totals.metadata_bytes += plain.metadata_bytes();
  totals.fragment_bytes += bytes;
}

}  // namespace

std::string to_string(const StageTotals& totals) {
  return fmt::format("multiply {}, select {}, supply {}, fragments {}, metadata {}",
                     totals.multiply_cycles, totals.select_cycles, totals.supply_cycles,
                     totals.fragment_bytes, totals.metadata_bytes);
}

SelectionCase draw_selection_case(std::uint64_t seed, const std::optional<SelectorKind>& kind) {
  Dice dice(seed);
  MachineConfig machine = draw_machine(dice);
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  if (kind) {
    selector.native_patterns = {kind->pattern};
    selector.metadata_coding = kind->coding;
  }
  SelectionCase drawn;
  // Rows and groups that lie beyond the edges have no places of their own: whole tiles, unless
  // their zeros are skipped.
  const bool has_edges =
      selector.skipped_zeros == SkippedZeros::a || selector.skipped_zeros == SkippedZeros::both;
  const std::int64_t beyond = has_edges ? dice.between(0, 7) : 0;
  const Pattern pattern = selector.native_patterns.front();
  const std::int64_t step = 64 * pattern.m / pattern.n;  // as long as the kernel's
  drawn.problem = make_problem(32 * dice.between(1, 2) - beyond, 16 * dice.between(1, 2) - beyond,
                               step * dice.between(1, 2) - beyond, 1, DataType::fp16, pattern);
  drawn.operands.a = draw_a(drawn.problem, dice);
  drawn.operands.b = draw_b(drawn.problem, dice);
  drawn.text = fmt::format(
      "seed {}: {}x{}x{} {}, zeros of {} skipped in windows of {}, {} inputs, {}, {}", seed,
      drawn.problem.m, drawn.problem.n, drawn.problem.k, drawn.problem.a_pattern.to_string(),
      to_string(selector.skipped_zeros), selector.skip_window, selector.lane_inputs,
      selector.has_packed_slots ? "packed" : "padded", selector.metadata_coding);
  drawn.runner = std::make_unique<MachineRunner>(machine);
  return drawn;
}

FullGroups draw_full_groups(std::uint64_t seed) {
  Dice dice(seed);
  MachineConfig machine = draw_machine(dice);
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  selector.has_packed_slots = false;  // each group would say how many values it has
  const Pattern pattern = selector.native_patterns.front();
  FullGroups drawn;
  drawn.sees_all =
      selector.lane_inputs >= pattern.m / pattern.granule && selector.lanes != Lanes::butterfly;
  GemmProblem& problem = drawn.by_data.problem;
  problem =
      make_problem(32 * dice.between(1, 2), 16 * dice.between(1, 2),
                   64 * pattern.m / pattern.n * dice.between(1, 2), 1, DataType::fp16, pattern);
  drawn.by_data.operands.a = draw_full_a(problem, dice);
  PlainMatrix b(1, problem.k, problem.n);
  for (float& value : b.values) value = static_cast<float>(dice.between(1, 9));
  drawn.by_data.operands.b = std::move(b);
  drawn.by_data.text = fmt::format("seed {}: {}x{}x{} {}, {} inputs, zeros of {} skipped", seed,
                                   problem.m, problem.n, problem.k, pattern.to_string(),
                                   selector.lane_inputs, to_string(selector.skipped_zeros));
  drawn.by_data.runner = std::make_unique<MachineRunner>(machine);
  selector.skipped_zeros = SkippedZeros::none;
  machine.accelerator.sm.detail = Detail::closed;
  drawn.closed = std::make_unique<MachineRunner>(machine);
  return drawn;
}

SelectionCase draw_many_waves(std::uint64_t seed) {
  Dice dice(seed);
  MachineConfig machine = draw_machine(dice);
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  selector.native_patterns = {{2, 4}};
  selector.skipped_zeros = SkippedZeros::both;
  selector.skip_window = dice.one_of({2, 65536});
  SelectionCase drawn;
  drawn.problem = make_problem(32 * 64, 16 * 64, 256, 1, DataType::fp16, {2, 4});
  drawn.operands.a = draw_a(drawn.problem, dice);
  drawn.operands.b = draw_b(drawn.problem, dice);
  drawn.text = fmt::format("seed {}: windows of {}", seed, selector.skip_window);
  drawn.runner = std::make_unique<MachineRunner>(machine);
  return drawn;
}

StageTotals totals_of(const LaunchResult& result) {
  return {bucket_of(result, "multipliers", "busy"), bucket_of(result, "operand_selector", "busy"),
          bucket_of(result, "register_file", "busy"), result.count("fragment_bytes"),
          result.count("decoded_metadata_bytes")};
}

StageTotals plain_totals(const SelectionCase& drawn, const LaunchResult& run) {
  const GemmProblem& problem = drawn.problem;
  const std::string& name = run.kernel.instruction;  // "mma.sp.m16n8k32"
  auto instruction =
      instruction_for(drawn.runner->machine().accelerator.sm, problem.dtype, problem.a_pattern);
  instruction->k = std::stoll(name.substr(name.rfind('k') + 1));
  StageTotals totals;
  for (std::int64_t row = 0; row < round_up(problem.m, run.kernel.tile_m); row += instruction->m) {
    for (std::int64_t column = 0; column < round_up(problem.n, run.kernel.tile_n);
         column += instruction->n) {
      for (std::int64_t k = 0; k < round_up(problem.k, run.kernel.tile_k); k += instruction->k) {
        add(drawn, *instruction, {drawn, *instruction, row, column, k}, totals);
      }
    }
  }
  return totals;
}

}  // namespace stcsim::test
