#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/config_field.hpp"
#include "common/counts.hpp"
#include "common/data_type.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Patterns that one data type has instead of those of the other types.
struct PatternsOfType {
  DataType dtype = DataType::fp16;
  std::vector<Pattern> patterns;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::type("dtype", "of A and B", operand_data_types()), self.dtype);
    visitor.field(field::of("patterns", "list of patterns", "what this type runs sparse"),
                  self.patterns);
  }

  friend bool operator==(const PatternsOfType&, const PatternsOfType&) = default;
};

/// The use that sparse hardware makes of slots of a group that hold no value: multiply their zeros,
/// or leave out those that the operand's pattern leaves empty in every group.
inline constexpr const char* kPaddedSlots = "padded";
inline constexpr const char* kSkippedSlots = "skipped";

/// The operands whose zeros a tensor core skips where it knows them.
enum class SkippedZeros : std::uint8_t { none, a, b, both };
[[nodiscard]] constexpr std::string_view to_string(SkippedZeros skipped) {
  constexpr std::array<std::string_view, 4> kNames{"none", "a", "b", "both"};
  return kNames.at(static_cast<std::size_t>(skipped));
}

/// The places of a group that the multiplexer of slot i sees: from i to i + m - n, as the places of
/// slots are in ascending order, or all. Or the way of a butterfly network, of whose n middle wires
/// values share one whose places are equal modulo n: they pass one after the other.
enum class Lanes : std::uint8_t { ordered, crossbar, butterfly };
[[nodiscard]] constexpr std::string_view to_string(Lanes lanes) {
  constexpr std::array<std::string_view, 3> kNames{"ordered", "crossbar", "butterfly"};
  return kNames.at(static_cast<std::size_t>(lanes));
}
/// Whether the passes that a group takes depend on the places of its values.
[[nodiscard]] constexpr bool pass_by_place(Lanes lanes) {
  return lanes == Lanes::butterfly;
}

/// Per sub-core. Takes the B fragment of a sparse instruction and passes on, for each row of A, the
/// values its metadata points at: m values in for every n out. Of outputs these are whole columns.
struct OperandSelectorConfig {
  /// Patterns the tensor core executes natively; a tensor's pattern must fit inside one of them.
  std::vector<Pattern> native_patterns;
  /// Width of the selector's input, bytes of B per clk.
  std::int64_t b_bytes_per_clk = 64;
  /// Cycles the metadata of one instruction takes to decode.
  std::int64_t metadata_decode_cycles = 0;
  /// Width of the way from the register file into the metadata buffer, bytes per clk.
  std::int64_t metadata_fill_bytes_per_clk = field::kMostBytesPerClk;
  /// Metadata the buffer holds: of two instructions, and one is decoded while the next one's come.
  std::int64_t metadata_buffer_bytes = field::kMostBytes;
  /// Native patterns of types that have others: in NVIDIA's instruction set tf32 has 1:2, and int4
  /// 4:8 pairs.
  std::vector<PatternsOfType> native_patterns_by_type;
  /// Places that the multiplexer of one multiplier chooses from; as many as groups have granules:
  /// a crossbar. Of a group with more, a value takes several passes.
  std::int64_t lane_inputs = field::kMostUnits;
  /// Blocks that a first level of multiplexers chooses from, for composed patterns; 1: there is
  /// none.
  std::int64_t block_inputs = 1;
  /// MetadataFormat of what the tensor core reads.
  std::string metadata_coding = std::string(to_string(MetadataCoding::index));
  bool metadata_power_of_two_fields = false;
  /// Bytes of metadata that are decoded in a clk.
  std::int64_t metadata_decode_bytes_per_clk = field::kMostBytesPerClk;
  /// kPaddedSlots or kSkippedSlots.
  std::string short_groups = kPaddedSlots;
  /// By data, where operands are given and stages pass messages: see SelectionRules.
  SkippedZeros skipped_zeros = SkippedZeros::none;
  /// By gates; of patterns that allow it.
  Lanes lanes = Lanes::ordered;
  std::int64_t skip_window = 1;
  bool has_packed_slots = false;
  /// Registers on a value's way through the multiplexers, a cycle each.
  std::int64_t selector_stages = 0;

  [[nodiscard]] const std::vector<Pattern>& patterns_of(DataType dtype) const {
    for (const PatternsOfType& one : native_patterns_by_type) {
      if (one.dtype == dtype) return one.patterns;
    }
    return native_patterns;
  }
  /// These, and where empty slots are skipped also those with fewer granules in a group.
  [[nodiscard]] std::vector<Pattern> runnable_patterns(DataType dtype) const {
    std::vector<Pattern> runnable = patterns_of(dtype);
    if (short_groups != kSkippedSlots) return runnable;
    for (Pattern fewer : patterns_of(dtype)) {
      for (fewer.n -= fewer.kept_inside(); fewer.n > 0; fewer.n -= fewer.kept_inside()) {
        if (std::find(runnable.begin(), runnable.end(), fewer) == runnable.end()) {
          runnable.push_back(fewer);
        }
      }
    }
    return runnable;
  }
  [[nodiscard]] MetadataFormat metadata_format() const {
    return {metadata_coding_from_string(metadata_coding).value_or(MetadataCoding::index),
            metadata_power_of_two_fields};
  }
  /// The lanes of values of that pattern: blocks are looked through in order.
  [[nodiscard]] Lanes lanes_of(Pattern pattern) const {
    return pattern.is_dense() || pattern.is_composed() ? Lanes::ordered : lanes;
  }
  /// The times a value of a group passes the multiplexers until the right one is among their
  /// inputs. Blocks are either chosen by the first level, or looked through like the rest.
  [[nodiscard]] std::int64_t passes(Pattern pattern) const {
    if (pass_by_place(lanes_of(pattern))) {
      const Pattern granules = pattern.of_granules();
      return std::min(granules.n, ceil_div(granules.m, granules.n));
    }
    const std::int64_t granule = pattern.is_composed() ? 1 : pattern.granule;
    const std::int64_t flat = ceil_div(pattern.m / granule, lane_inputs);
    if (!pattern.is_composed()) return flat;
    const std::int64_t blocks = ceil_div(pattern.of_granules().m, block_inputs);
    return std::min(flat, std::max(blocks, ceil_div(pattern.granule, lane_inputs)));
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::of("native_patterns", "list of patterns",
                            "what the tensor core runs sparse; `[]` for a dense machine. A "
                            "tensor's pattern must fit inside one of them. `n:m outputs`: it "
                            "computes n of m columns in each row of C, as a mask says"),
                  self.native_patterns);
    visitor.field(field::list("native_patterns_by_type",
                              "data types that have other patterns than these, each once")
                      .omitted("none"),
                  self.native_patterns_by_type, {});
    visitor.field(field::bytes_per_clk("b_bytes_per_clk", "width of its input").optional(),
                  self.b_bytes_per_clk);
    visitor.field(field::cycles("metadata_decode_cycles", "to decode one instruction's metadata"),
                  self.metadata_decode_cycles);
    visitor.field(field::bytes_per_clk("metadata_fill_bytes_per_clk",
                                       "way of metadata from registers into their buffer")
                      .optional("`unlimited`"),
                  self.metadata_fill_bytes_per_clk);
    visitor.field(field::bytes("metadata_buffer_bytes",
                               "room for metadata: with less than those of two instructions, "
                               "decoding waits while the buffer is filled")
                      .or_unlimited()
                      .optional("`unlimited`"),
                  self.metadata_buffer_bytes);
    visit_selection(self, visitor);
    visit_coding(self, visitor);
  }

  friend bool operator==(const OperandSelectorConfig&, const OperandSelectorConfig&) = default;

 private:
  static void visit_selection(auto& self, auto& visitor) {
    visitor.field(field::count("lane_inputs",
                               "places that the multiplexer of one multiplier chooses from. Groups "
                               "with more take as many passes as it takes to look at all; "
                               "`unlimited`: a crossbar of whole groups")
                      .or_unlimited()
                      .omitted("`unlimited`"),
                  self.lane_inputs, field::kMostUnits);
    visitor.field(field::count("block_inputs",
                               "blocks that a first level of multiplexers chooses from, for "
                               "composed patterns; 1: there is none")
                      .or_unlimited()
                      .omitted("1"),
                  self.block_inputs, 1);
    visitor.field(
        field::text("short_groups",
                    "what becomes of slots of a group that hold no value. `padded`: their "
                    "zeros are stored and multiplied; `skipped`: slots that the "
                    "operand's pattern leaves empty in every group are left out, so that "
                    "n:m hardware also runs n':m with n' < n at its own rate")
            .omitted("`padded`"),
        self.short_groups, kPaddedSlots);
    visitor.field(field::cycles("selector_stages",
                                "registers on the way through the multiplexers: each adds a cycle "
                                "to the latency of sparse instructions, area and energy. `stcsim "
                                "list machine` says how many the clock needs")
                      .from(0, 64)
                      .omitted("0"),
                  self.selector_stages, 0);
    visit_skipping(self, visitor);
  }
  static void visit_skipping(auto& self, auto& visitor) {
    visitor.field(field::one_of("skipped_zeros",
                                "with `detail: stages` and operands: slots of `a` that hold a zero "
                                "are skipped, those that meet one of `b`, or `both`",
                                SkippedZeros::both)
                      .omitted("`none`"),
                  self.skipped_zeros, SkippedZeros::none);
    visitor.field(field::of("skip_window", "slots",
                            "of a row, in which rows and columns of an instruction may be ahead of "
                            "each other: 1: a slot is skipped by all or none; a pattern's n: they "
                            "wait for each other at the end of each group; `unlimited`: of the "
                            "instruction")
                      .from(1, field::kMostUnits)
                      .without_effect("with `skipped_zeros` only")
                      .or_unlimited()
                      .omitted("1"),
                  self.skip_window, 1);
    visitor.field(field::flag("has_packed_slots",
                              "with operands: registers hold slots with values only, and of each "
                              "group their number (not by `bitmask`)")
                      .omitted("false"),
                  self.has_packed_slots, false);
    visitor.field(field::one_of("lanes",
                                "`ordered`, slot i sees places i to i + m - n if no native pattern "
                                "of that m has fewer values and no slots are skipped (areas by "
                                "gates only); `crossbar`, it sees all; `butterfly`, the values of "
                                "a group whose places are equal modulo n take a pass each",
                                Lanes::butterfly)
                      .omitted("`ordered`"),
                  self.lanes, Lanes::ordered);
  }
  static void visit_coding(auto& self, auto& visitor) {
    visitor.field(field::text("metadata_coding",
                              "`index`: the position of each kept value; `enumerated`: one number "
                              "of ceil(log2 C(m, n)) bits for each group; `bitmask`: a bit for "
                              "each element of a group")
                      .omitted("`index`"),
                  self.metadata_coding, std::string(to_string(MetadataCoding::index)));
    visitor.field(field::flag("metadata_power_of_two_fields",
                              "each position, number or mask takes as many bits as the next power "
                              "of two")
                      .omitted("false"),
                  self.metadata_power_of_two_fields, false);
    visitor.field(field::bytes_per_clk("metadata_decode_bytes_per_clk",
                                       "metadata that are decoded in a clk, if that takes longer "
                                       "than `metadata_decode_cycles`")
                      .omitted("`unlimited`"),
                  self.metadata_decode_bytes_per_clk, field::kMostBytesPerClk);
  }
};

struct MultiplierRate {
  DataType dtype = DataType::fp16;
  /// Multiply-accumulates per clk of one sub-core's tensor core.
  std::int64_t fma_per_clk = 0;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::type("dtype", "of A and B", operand_data_types()), self.dtype);
    visitor.field(field::of("fma_per_clk", "multiply-accumulates/clk", "of one sub-core")
                      .from(1, field::kMostUnits)
                      .more_is(Effect::faster),
                  self.fma_per_clk);
  }

  friend bool operator==(const MultiplierRate&, const MultiplierRate&) = default;
};

struct TensorCoreConfig {
  std::vector<MultiplierRate> multipliers;
  std::vector<MmaInstruction> instructions;
  /// Mean of the cycles the multipliers wait where an instruction directly follows another one of
  /// its warp, with accumulators of 32 bits,
  Millicycles same_warp_bubble;
  /// and with accumulators of 16 bits.
  Millicycles same_warp_bubble_fp16;
  /// Rows of A that the array multiplies at a time: instructions of fewer take as long.
  std::int64_t rows_at_a_time = 1;
  /// What an instruction of two CTAs takes longer from its issue to its result.
  std::int64_t cta_pair_cycles = 0;

  /// The rate of one sub-core; 0 if it does not multiply this type.
  [[nodiscard]] std::int64_t fma_per_clk(DataType dtype) const {
    for (const MultiplierRate& rate : multipliers) {
      if (rate.dtype == dtype) return rate.fma_per_clk;
    }
    return 0;
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::list("multipliers", "one entry for each data type that the machine multiplies"),
        self.multipliers);
    visitor.field(field::list("instructions", "at least one dense one for each of those types"),
                  self.instructions);
    visitor.field(
        field::cycles(
            "same_warp_bubble_cycles",
            "what the multipliers wait, in the mean, between two instructions of the same "
            "warp that directly follow each other (in one instruction group), with "
            "accumulators of 32 bits; up to three decimals. Instructions that the operand "
            "fetch or the selector limits lose less, by the share of their interval in "
            "which the multipliers are idle"),
        self.same_warp_bubble);
    visitor.field(field::cycles("same_warp_bubble_fp16_cycles", "with accumulators of 16 bits")
                      .optional("`same_warp_bubble_cycles`"),
                  self.same_warp_bubble_fp16, self.same_warp_bubble);
    visitor.field(
        field::elements("rows_at_a_time",
                        "rows of A that the array multiplies at a time; instructions of fewer take "
                        "as long")
            .from(1, 1024)
            .more_is(Effect::slower)
            .omitted("1"),
        self.rows_at_a_time, 1);
    visitor.field(field::cycles("cta_pair_cycles",
                                "from issue to result, on top of `latency_cycles`, of instructions "
                                "of a kernel's `cta_pair`")
                      .omitted("0"),
                  self.cta_pair_cycles, 0);
  }

  friend bool operator==(const TensorCoreConfig&, const TensorCoreConfig&) = default;
};

}  // namespace stcsim
