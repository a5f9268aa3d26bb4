#include "sim/config/field_list.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "cli/field_kinds.hpp"
#include "sim/config/config_readers.hpp"
#include "sim/config/field_json.hpp"
#include "tests/unit/config/sample_configs.hpp"

namespace stcsim {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

ListedField field_at(const std::string& path) {
  for (const ListedField& listed : list_fields<MachineConfig>()) {
    if (listed.path() == path) return listed;
  }
  ADD_FAILURE() << "no field " << path;
  return {};
}

/// Paths of everything in a JSON value, `*` for an index.
void collect_paths(const nlohmann::json& json, const std::string& path,
                   std::set<std::string>& paths) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      paths.insert(inner);
      collect_paths(value, inner, paths);
    }
  } else if (json.is_array()) {
    for (const auto& item : json) collect_paths(item, path + ".*", paths);
  }
}

/// Every kind's table stands somewhere in the documentation, as it is printed.
TEST(FieldList, TheDocumentationIsTheTables) {
  std::string docs;
  for (const auto& file : std::filesystem::directory_iterator(STCSIM_SOURCE_DIR "/docs")) {
    if (file.path().extension() == ".md") docs += text_of(file.path());
  }
  for (const FieldKind& kind : field_kinds()) {
    const std::string name(kind.name);
    const std::string command = "stcsim list fields --kind " + name + " --format markdown";
    const std::string block =
        "<!-- " + command + " -->\n\n" + fields_markdown(kind.fields()) + "\n<!-- end -->";
    EXPECT_NE(docs.find(block), std::string::npos)
        << "docs/ do not have what this prints: " << command;
  }
}

TEST(FieldList, HasEveryKeyThatIsWritten) {
  const YamlDocument document = parse_yaml(kSampleMachine, "m.yaml");
  MapReader map(document);
  std::set<std::string> written;
  collect_paths(to_json(read_machine(map)), "", written);
  std::set<std::string> listed;
  for (const ListedField& field : list_fields<MachineConfig>()) listed.insert(field.path());
  for (const std::string& path : written) EXPECT_EQ(listed.count(path), 1U) << path;
  EXPECT_EQ(listed.size(), list_fields<MachineConfig>().size()) << "a key is listed twice";
}

TEST(FieldList, SaysWhatAKeyIs) {
  const ListedField width = field_at("accelerator.memory_bus.sm_read_bytes_per_clk");
  EXPECT_TRUE(width.is_number);
  EXPECT_EQ(width.fallback, "64");
  EXPECT_EQ(width.field.unit, "bytes/clk");
  EXPECT_EQ(width.field.effect, Effect::faster);
  EXPECT_EQ(width.field.least, 1);
  EXPECT_FALSE(field_at("accelerator.sm.operand_selector.native_patterns").is_number);
  EXPECT_EQ(field_at("accelerator.num_sms").fallback, "required");
  EXPECT_EQ(field_at("accelerator.sm.shared_memory.fill_bytes_per_clk").fallback,
            "the port's width");
  EXPECT_EQ(field_at("accelerator.sm.tensor_core.instructions.*.pattern").fallback, "dense");
}

/// A number without an effect has a reason, and such numbers are few.
TEST(FieldList, NearlyEveryNumberHasAnEffect) {
  int without = 0;
  for (const ListedField& listed : list_fields<MachineConfig>()) {
    if (!listed.is_number) continue;
    EXPECT_EQ(listed.field.effect == Effect::none, !listed.field.reason.empty()) << listed.path();
    if (listed.field.effect == Effect::none) ++without;
  }
  EXPECT_LE(without, 8);
}

}  // namespace
}  // namespace stcsim
