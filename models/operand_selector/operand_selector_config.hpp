#pragma once

#include <cstdint>
#include <vector>

#include "common/pattern.hpp"
#include "models/base/config_field.hpp"

namespace stcsim {

/// Per sub-core. Takes the B fragment of a sparse instruction and passes on, for each row of A, the
/// values its metadata points at: m values in for every n out.
struct OperandSelectorConfig {
  /// Patterns the tensor core executes natively; a tensor's pattern must fit inside one of them.
  std::vector<Pattern> native_patterns;
  /// Width of the selector's input, bytes of B per clk.
  std::int64_t b_bytes_per_clk = 64;
  /// Cycles the metadata of one instruction takes to load and decode.
  std::int64_t metadata_decode_cycles = 0;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::of("native_patterns", "list of patterns",
                            "what the tensor core runs sparse; `[]` for a dense machine. A "
                            "tensor's pattern must fit inside one of them"),
                  self.native_patterns);
    visitor.field(field::bytes_per_clk("b_bytes_per_clk", "width of its input").optional(),
                  self.b_bytes_per_clk);
    visitor.field(
        field::cycles("metadata_decode_cycles", "to load and decode one instruction's metadata"),
        self.metadata_decode_cycles);
  }

  friend bool operator==(const OperandSelectorConfig&, const OperandSelectorConfig&) = default;
};

}  // namespace stcsim
