#pragma once

#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "models/base/config_field.hpp"

namespace stcsim {

/// Patterns that one data type has instead of those of the other types.
struct PatternsOfType {
  DataType dtype = DataType::fp16;
  std::vector<Pattern> patterns;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::type("dtype", "of A and B", operand_data_types()), self.dtype);
    visitor.field(field::of("patterns", "list of patterns", "what this type runs sparse"),
                  self.patterns);
  }

  friend bool operator==(const PatternsOfType&, const PatternsOfType&) = default;
};

/// Per sub-core. Takes the B fragment of a sparse instruction and passes on, for each row of A, the
/// values its metadata points at: m values in for every n out.
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

  [[nodiscard]] const std::vector<Pattern>& patterns_of(DataType dtype) const {
    for (const PatternsOfType& one : native_patterns_by_type) {
      if (one.dtype == dtype) return one.patterns;
    }
    return native_patterns;
  }

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::of("native_patterns", "list of patterns",
                            "what the tensor core runs sparse; `[]` for a dense machine. A "
                            "tensor's pattern must fit inside one of them"),
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
  }

  friend bool operator==(const OperandSelectorConfig&, const OperandSelectorConfig&) = default;
};

}  // namespace stcsim
