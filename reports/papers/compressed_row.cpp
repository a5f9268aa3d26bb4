#include "reports/papers/compressed_row.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "common/metadata_format.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<std::string_view, CompressedQuantity>, 4> kCompressedQuantities{
    {{"bytes_share", CompressedQuantity::bytes_share},
     {"bytes_saved", CompressedQuantity::bytes_saved},
     {"metadata_share", CompressedQuantity::metadata_share},
     {"metadata_bits", CompressedQuantity::metadata_bits}}};

/// Groups of a row long enough for whole bytes of everything.
constexpr std::int64_t kGroups = 64;

}  // namespace

CompressedRow read_compressed_row(MapReader& map) {
  CompressedRow row;
  row.dtype = map.get_dtype_or("dtype", DataType::fp16);
  row.pattern = map.get_pattern("pattern");
  row.quantity = map.get_enum("quantity", kCompressedQuantities);
  map.finish();
  return row;
}

PaperQuantity quantity_of(const CompressedRow& row) {
  switch (row.quantity) {
    case CompressedQuantity::bytes_share:
      return {"part of the dense bytes", PaperUnit::percent, std::nullopt};
    case CompressedQuantity::bytes_saved:
      return {"bytes saved", PaperUnit::percent, 0};
    case CompressedQuantity::metadata_share:
      return {"metadata beside the values' bytes", PaperUnit::percent, std::nullopt};
    case CompressedQuantity::metadata_bits:
      return {"metadata of a kept value", PaperUnit::bits, std::nullopt};
  }
  return {};
}

PaperAnswer answer_of(const CompressedRow& row) {
  const std::int64_t k = kGroups * row.pattern.m;
  const RowContents contents = row_contents(k, row.pattern);
  const RowBytes bytes = row_bytes(k, row.pattern, row.dtype);
  const auto dense = static_cast<double>(row_bytes(k, kDense, row.dtype).values);
  const auto values = static_cast<double>(bytes.values);
  const auto metadata = static_cast<double>(bytes.metadata);
  PaperAnswer answer;
  answer.column = "counted";
  switch (row.quantity) {
    case CompressedQuantity::bytes_share:
      answer.value = 100 * (values + metadata) / dense;
      break;
    case CompressedQuantity::bytes_saved:
      answer.value = 100 * (1 - (values + metadata) / dense);
      break;
    case CompressedQuantity::metadata_share:
      answer.value = 100 * metadata / values;
      break;
    case CompressedQuantity::metadata_bits:
      answer.value =
          static_cast<double>(contents.metadata_bits) / static_cast<double>(contents.values);
      break;
  }
  answer.low = answer.high = answer.value;
  return answer;
}

}  // namespace stcsim
