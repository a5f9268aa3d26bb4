#include "sim/sweep/sweep_parts.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/field_json.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
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

const AxisValue& listed_value(const Space& space, const Assignment& values, std::string_view name) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (space.axes[at].name == name) return *values[at];
  }
  throw SimulationError("a point lacks its " + std::string(name));
}

void set_axis_values(YamlNode& node, const Space& space, const Assignment& values,
                     std::string_view root, std::string_view but) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    const Axis& axis = space.axes[at];
    const AxisValuePointer& value = values[at];
    if (value == nullptr || axis.root() != root || axis.key().empty() || axis.key() == but) {
      continue;
    }
    set_value(node, axis.key(), value->node, axis.where);
  }
}

YamlNode MachineMaker::node(const Assignment& values) {
  const AxisValue& listed = listed_value(space_, values, "machine");
  auto file = files_.find(listed.label);
  if (file == files_.end()) {
    file = files_.emplace(listed.label, expand_entry(ConfigKind::machine, listed.node)).first;
  }
  YamlNode node = file->second;
  set_axis_values(node, space_, values, "machine");
  return node;
}

SweepMachine MachineMaker::make(const Assignment& values) {
  YamlNode own = node(values);
  MachineSpec spec = read_machine(own);
  const nlohmann::json json = to_json(spec.config);
  return {std::move(spec), std::move(own), sha256_hex(json.dump())};
}

MachineConfig MachineMaker::config(const Assignment& values) {
  return read_machine(node(values)).config;
}

}  // namespace stcsim
