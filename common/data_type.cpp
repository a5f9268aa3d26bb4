#include "common/data_type.hpp"

#include <array>

#include "common/counts.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kByteBits = 8;
constexpr std::int64_t kNvfp4Block = 16;

struct Traits {
  DataType type;
  std::string_view name;
  std::int64_t bits;
  DataType output;
};

constexpr std::array<Traits, 10> kTraits{{
    {DataType::fp16, "fp16", 16, DataType::fp16},
    {DataType::bf16, "bf16", 16, DataType::bf16},
    {DataType::tf32, "tf32", 32, DataType::fp32},
    {DataType::int8, "int8", 8, DataType::int8},
    {DataType::int4, "int4", 4, DataType::int32},
    {DataType::fp8_e4m3, "fp8_e4m3", 8, DataType::fp16},
    {DataType::fp8_e5m2, "fp8_e5m2", 8, DataType::fp16},
    {DataType::nvfp4, "nvfp4", 4, DataType::fp16},
    {DataType::fp32, "fp32", 32, DataType::fp32},
    {DataType::int32, "int32", 32, DataType::int32},
}};

const Traits& traits_of(DataType type) {
  return kTraits.at(static_cast<std::size_t>(type));
}

}  // namespace

std::int64_t bytes_of(DataType type, std::int64_t elements) {
  // In groups of eight, whose bytes are whole: the bits of a large tensor may overflow.
  const std::int64_t bits = traits_of(type).bits;
  return elements / kByteBits * bits + ceil_div(elements % kByteBits * bits, kByteBits);
}

std::int64_t scale_bytes_of(DataType type, std::int64_t elements) {
  return type == DataType::nvfp4 ? ceil_div(elements, kNvfp4Block) : 0;
}

std::int64_t elements_in(DataType type, std::int64_t bytes) {
  return bytes * kByteBits / traits_of(type).bits;
}

DataType accumulator_of(DataType type) {
  const bool is_integer =
      type == DataType::int8 || type == DataType::int4 || type == DataType::int32;
  return is_integer ? DataType::int32 : DataType::fp32;
}

DataType output_of(DataType type) {
  return traits_of(type).output;
}

std::string_view to_string(DataType type) {
  return traits_of(type).name;
}

std::optional<DataType> data_type_from_string(std::string_view name) {
  for (const Traits& traits : kTraits) {
    if (traits.name == name) return traits.type;
  }
  return std::nullopt;
}

const std::vector<DataType>& operand_data_types() {
  static const std::vector<DataType> types{DataType::fp16,     DataType::bf16, DataType::tf32,
                                           DataType::int8,     DataType::int4, DataType::fp8_e4m3,
                                           DataType::fp8_e5m2, DataType::nvfp4};
  return types;
}

}  // namespace stcsim
