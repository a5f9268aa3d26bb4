#include "common/io/field_list.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "cli/list/field_kinds.hpp"
#include "sim/config/machine.hpp"

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

/// Every kind's table stands somewhere in the documentation, as it is printed. Libraries have keys
/// of machines (kernels, libraries, stacks), which stand in theirs.
TEST(FieldList, TheDocumentationIsTheTables) {
  std::string docs;
  for (const auto& file :
       std::filesystem::directory_iterator(STCSIM_SOURCE_DIR "/docs/reference")) {
    if (file.path().extension() == ".md") docs += text_of(file.path());
  }
  for (const FieldKind& kind : field_kinds()) {
    const std::string name(kind.name);
    if (name == "library") continue;
    const std::string command = "stcsim list fields --kind " + name + " --format markdown";
    const std::string block =
        "<!-- " + command + " -->\n\n" + fields_markdown(kind.fields()) + "\n<!-- end -->";
    EXPECT_NE(docs.find(block), std::string::npos)
        << "docs/reference/ does not have what this prints: " << command;
  }
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
