#include "sim/sweep/gemm_entry.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/io/yaml_reader.hpp"
#include "sim/config/gemm_layouts.hpp"

namespace stcsim {
namespace {

constexpr IntRange kExtent{1, 1'000'000'000};
/// What errors without a place begin with.
constexpr std::string_view kErrorMark = "error: ";

}  // namespace

YamlNode gemm_map(const YamlNode& entry) {
  if (entry.is_map()) return entry;
  constexpr std::array<const char*, 3> kKeys{"m", "n", "k"};
  constexpr const char* kRight = "a size such as 1024x8192x1024 (m, n, k), or a map";
  if (!entry.is_scalar()) refuse(entry, "gemms", kRight);
  YamlNode map{YamlKind::map, "", false, entry.location, {}, {}};
  std::size_t begin = 0;
  for (const char* const key : kKeys) {
    const std::size_t end = std::min(entry.text.find('x', begin), entry.text.size());
    const bool is_last = key == kKeys.back();
    if (begin > entry.text.size() || (end == entry.text.size()) != is_last) {
      refuse(entry, "gemms", kRight);
    }
    YamlNode size{
        YamlKind::scalar, entry.text.substr(begin, end - begin), false, entry.location, {}, {}};
    if (!int_of(size)) refuse(entry, "gemms", kRight);
    map.entries.push_back({key, entry.location, std::move(size)});
    begin = end + 1;
  }
  return map;
}

GemmEntry read_gemm(const YamlNode& map, DataType dtype) {
  MapReader reader(map, "");
  GemmEntry entry;
  GemmProblem& gemm = entry.gemm;
  static_cast<void>(reader.get_string_or("name", ""));
  gemm.m = reader.get_int("m", kExtent);
  gemm.n = reader.get_int("n", kExtent);
  gemm.k = reader.get_int("k", kExtent);
  gemm.batch_count = reader.get_int_or("batch_count", 1, kExtent);
  entry.repeat = reader.get_int_or("repeat", 1, kExtent);
  gemm.dtype = reader.get_dtype_or("dtype", dtype);
  gemm.a_pattern = reader.get_pattern_or("pattern", kDense);
  const auto layouts = reader.get_enum_or("layout", OperandLayouts{}, kOperandLayouts);
  gemm.a_layout = layouts.a;
  gemm.b_layout = layouts.b;
  gemm.c_layout = reader.get_enum_or("c_layout", OutputLayout::row_major, kOutputLayouts);
  reader.finish();
  try {
    validate(gemm, "the GEMM");
  } catch (const ConfigError& error) {
    throw ConfigError(map.location, std::string(error.what()).substr(kErrorMark.size()));
  }
  return entry;
}

}  // namespace stcsim
