#include "common/io/field_schema.hpp"

#include <algorithm>
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/machine_config.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const Json& type) {
  if (type.is_array()) {
    return std::ranges::any_of(type, [&](const Json& one) { return has_type(value, one); });
  }
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

/// Compiled once: machine files have thousands of texts.
const std::regex& regex_of(const std::string& pattern) {
  static std::map<std::string, std::regex> known;
  return known.try_emplace(pattern, pattern).first->second;
}

std::string error_of_value(const Json& value, const Json& schema, const std::string& path);

std::string error_of_object(const Json& value, const Json& schema, const std::string& path) {
  for (const auto& key : schema["required"]) {
    if (!value.contains(key)) return path + " lacks " + key.get<std::string>();
  }
  for (const auto& [key, inner] : value.items()) {
    if (!schema["properties"].contains(key)) return path + " has " + key;
    const std::string error = error_of_value(inner, schema["properties"][key], path + "." + key);
    if (!error.empty()) return error;
  }
  return "";
}

/// What of the schema's language schema_of_file() uses, by the letter of its specification; "" for
/// a value that is as the schema says.
std::string error_of_value(const Json& value, const Json& schema, const std::string& path) {
  if (schema.contains("anyOf")) {
    for (const Json& one : schema["anyOf"]) {
      if (error_of_value(value, one, path).empty()) return "";
    }
    return path + " is none of the alternatives: " + value.dump();
  }
  if (schema.contains("const"))
    return value == schema["const"] ? "" : path + " is not the constant";
  if (schema.contains("enum")) {
    for (const Json& one : schema["enum"]) {
      if (value == one) return "";
    }
    return path + " is not in the list: " + value.dump();
  }
  if (!schema.contains("type")) return "";  // anything
  if (!has_type(value, schema["type"])) return path + " is of another type: " + value.dump();
  if (value.is_object()) return error_of_object(value, schema, path);
  if (value.is_number()) {
    const double number = value.get<double>();
    const bool fits = number >= schema.value("minimum", number) &&
                      number > schema.value("exclusiveMinimum", number - 1) &&
                      number <= schema.value("maximum", number);
    return fits ? "" : path + " is out of range: " + value.dump();
  }
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), regex_of(schema["pattern"]))) {
    return path + " does not match: " + value.dump();
  }
  if (value.is_array()) {
    if (schema.contains("minItems") && value.size() != schema["minItems"]) return path + " size";
    for (const Json& item : value) {
      const std::string error = error_of_value(item, schema["items"], path + ".*");
      if (!error.empty()) return error;
    }
  }
  return "";
}

std::string error_of_machine(const Json& machine) {
  return error_of_value(machine, Json(schema_of_file<MachineConfig>("A machine")), "machine");
}

/// What is written of every shipped file of a kind is as its schema says, and reads back.
template <class Config>
void expect_described(ConfigKind kind, Config (*read)(MapReader&)) {
  const Json schema(schema_of_file<Config>("A file"));
  for (const CatalogEntry& entry : list_configs(kind)) {
    SCOPED_TRACE(entry.name);
    const YamlNode file = load_by_name(kind, entry.path.string());
    MapReader map(file, "");
    const Json written = to_json(read(map));
    EXPECT_EQ(error_of_value(written, schema, "file"), "");
    const YamlDocument document = parse_yaml(written.dump(), "written.json");
    MapReader again(document);
    EXPECT_EQ(to_json(read(again)), written);
  }
}

TEST(FieldSchema, DescribesEveryShippedFile) {
  expect_described(ConfigKind::machine, &read_machine);
  expect_described(ConfigKind::framework, &read_framework);
  expect_described(ConfigKind::scheme, &read_scheme);
  expect_described(ConfigKind::network, &read_network);
}

TEST(FieldJson, LeavesOutWhatASchemeDoesNotSay) {
  Scheme scheme;
  scheme.name = "s";
  scheme.phases[1].dtype = DataType::bf16;
  EXPECT_EQ(to_json(scheme).dump(),
            R"({"dgrad":{"dtype":"bf16"},"forward":{},"layers":{"min_in_channels":0,)"
            R"("reduction_multiple_of":1,"roles":[],"rows_multiple_of":1,"types":[]},"name":"s",)"
            R"("share_of_training":1.0,"wgrad":{}})");
}

TEST(FieldSchema, NamesWhatEnumerationsHave) {
  Json scheme = to_json(load_scheme("sdgp"));
  scheme["dgrad"]["tensor"] = "weights";
  EXPECT_EQ(error_of_value(scheme, Json(schema_of_file<Scheme>("A scheme")), "scheme"),
            "scheme.dgrad.tensor is not in the list: \"weights\"");
}

TEST(FieldSchema, RefusesWhatTheReaderRefuses) {
  const Json machine = to_json(load_machine("a100").config);
  Json changed = machine;
  changed["accelerator"]["num_sms"] = 0;
  EXPECT_EQ(error_of_machine(changed), "machine.accelerator.num_sms is out of range: 0");
  changed = machine;
  changed["accelerator"]["dram"].erase("latency_cycles");
  EXPECT_EQ(error_of_machine(changed), "machine.accelerator.dram lacks latency_cycles");
  changed = machine;
  changed["kernels"][0]["tile_m"] = 3;
  EXPECT_EQ(error_of_machine(changed), "machine.kernels.* has tile_m");
  changed = machine;
  changed["kernels"][0]["tiles"] = {"64x64"};
  EXPECT_EQ(error_of_machine(changed),
            "machine.kernels.*.tiles is none of the alternatives: [\"64x64\"]");
  changed["kernels"][0]["tiles"] = {"64x64x32_s3"};
  EXPECT_EQ(error_of_machine(changed), "") << "a family";
  changed = machine;
  changed["accelerator"]["sm"]["tensor_core"]["multipliers"][0]["dtype"] = "fp64";
  EXPECT_EQ(error_of_machine(changed),
            "machine.accelerator.sm.tensor_core.multipliers.*.dtype is not in the list: \"fp64\"");
  changed = machine;
  changed["accelerator"]["dram"]["bytes_per_clk"] = "unlimited";
  EXPECT_EQ(error_of_machine(changed), "");
  changed["accelerator"]["dram"]["latency_cycles"] = "unlimited";
  EXPECT_EQ(error_of_machine(changed),
            "machine.accelerator.dram.latency_cycles is of another type: \"unlimited\"");
}

}  // namespace
}  // namespace stcsim
