#include "common/data_type.hpp"

#include <array>

namespace stcsim {
namespace {

struct Traits {
  DataType type;
  std::string_view name;
  std::int64_t bytes;
  DataType output;
};

constexpr std::array<Traits, 8> kTraits{{
    {DataType::fp16, "fp16", 2, DataType::fp16},
    {DataType::bf16, "bf16", 2, DataType::bf16},
    {DataType::tf32, "tf32", 4, DataType::fp32},
    {DataType::int8, "int8", 1, DataType::int8},
    {DataType::fp8_e4m3, "fp8_e4m3", 1, DataType::fp16},
    {DataType::fp8_e5m2, "fp8_e5m2", 1, DataType::fp16},
    {DataType::fp32, "fp32", 4, DataType::fp32},
    {DataType::int32, "int32", 4, DataType::int32},
}};

const Traits& traits_of(DataType type) {
  return kTraits.at(static_cast<std::size_t>(type));
}

}  // namespace

std::int64_t bytes_per_element(DataType type) {
  return traits_of(type).bytes;
}

DataType accumulator_of(DataType type) {
  return type == DataType::int8 || type == DataType::int32 ? DataType::int32 : DataType::fp32;
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
  static const std::vector<DataType> types{DataType::fp16, DataType::bf16,     DataType::tf32,
                                           DataType::int8, DataType::fp8_e4m3, DataType::fp8_e5m2};
  return types;
}

}  // namespace stcsim
