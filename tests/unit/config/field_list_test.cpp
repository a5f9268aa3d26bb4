#include "sim/config/field_list.hpp"

#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "sim/config/machine_config.hpp"
#include "sim/config/machine_json.hpp"
#include "tests/unit/config/sample_configs.hpp"

namespace stcsim {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

ListedField field_at(const std::string& path) {
  for (const ListedField& listed : machine_fields()) {
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

/// What stands between the comments that begin and end the output of `list KIND`.
std::string listed_in(const std::string& file, const std::string& kind) {
  const std::string docs = text_of(STCSIM_SOURCE_DIR "/docs/" + file);
  const std::string begin = "<!-- stcsim list " + kind + " --format markdown -->\n";
  const std::size_t start = docs.find(begin) + begin.size();
  return docs.substr(start, docs.find("<!-- end -->", start) - start);
}

TEST(FieldList, TheDocumentationIsTheTables) {
  EXPECT_EQ(listed_in("configuration.md", "fields"), "\n" + machine_fields_markdown() + "\n")
      << "replace what stands between the comments by `stcsim list fields --format markdown`";
  EXPECT_EQ(listed_in("configuration.md", "frameworks"), "\n" + framework_fields_markdown() + "\n")
      << "replace what stands between the comments by `stcsim list frameworks --format markdown`";
}

TEST(FieldList, HasEveryKeyThatIsWritten) {
  const YamlDocument document = parse_yaml(kSampleMachine, "m.yaml");
  MapReader map(document);
  std::set<std::string> written;
  collect_paths(to_json(read_machine(map)), "", written);
  std::set<std::string> listed;
  for (const ListedField& field : machine_fields()) listed.insert(field.path());
  for (const std::string& path : written) EXPECT_EQ(listed.count(path), 1U) << path;
  EXPECT_EQ(listed.size(), machine_fields().size()) << "a key is listed twice";
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
  for (const ListedField& listed : machine_fields()) {
    if (!listed.is_number) continue;
    EXPECT_EQ(listed.field.effect == Effect::none, !listed.field.reason.empty()) << listed.path();
    if (listed.field.effect == Effect::none) ++without;
  }
  EXPECT_LE(without, 8);
}

}  // namespace
}  // namespace stcsim
