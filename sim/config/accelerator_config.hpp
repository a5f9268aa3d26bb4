#pragma once

#include "common/io/yaml_reader.hpp"
#include "models/accelerator/accelerator_config.hpp"

namespace stcsim {

/// Reads the hardware of a machine; keys are the field names. Calls finish().
[[nodiscard]] AcceleratorConfig read_accelerator(MapReader& map);

/// Reads one SM and the units inside it. Calls finish().
[[nodiscard]] StreamingMultiprocessorConfig read_streaming_multiprocessor(MapReader& map);

/// Reads a tensor core: an entry for each data type, at least one dense instruction per type, and
/// no instruction faster than its type's multipliers. Calls finish().
[[nodiscard]] TensorCoreConfig read_tensor_core(MapReader& map);

/// Limits that catch a wrong unit, far above any machine.
inline constexpr IntRange kUnits{1, 65536};
inline constexpr IntRange kCycles{0, 1'000'000'000};
inline constexpr IntRange kBytesPerClk{1, 1'000'000'000};

/// Reads a required key, or an optional one whose default is the field's present value.
inline void read_field(MapReader& map, std::string_view key, std::int64_t& field, IntRange range) {
  field = map.get_int(key, range);
}
inline void read_field_or(MapReader& map, std::string_view key, std::int64_t& field,
                          IntRange range) {
  field = map.get_int_or(key, field, range);
}

}  // namespace stcsim
