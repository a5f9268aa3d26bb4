#pragma once

#include <cstdint>

#include "common/data_type.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "reports/evidence/paper_answer.hpp"

namespace stcsim {

enum class CompressedQuantity : std::uint8_t {
  /// Percent of the dense operand's bytes, metadata included; what that saves.
  bytes_share,
  bytes_saved,
  /// Percent of the bytes of the kept values; bits per kept value.
  metadata_share,
  metadata_bits
};

/// A compressed operand in memory, by the rule that timing and functional mode go by
/// (common/metadata_format.hpp).
struct CompressedRow {
  DataType dtype = DataType::fp16;
  Pattern pattern;
  CompressedQuantity quantity = CompressedQuantity::bytes_share;
};

/// Reads the map `compressed` of a row.
[[nodiscard]] CompressedRow read_compressed_row(MapReader& map);
[[nodiscard]] PaperQuantity quantity_of(const CompressedRow& row);
[[nodiscard]] PaperAnswer answer_of(const CompressedRow& row);

}  // namespace stcsim
