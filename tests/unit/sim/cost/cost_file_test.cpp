#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cost/cost_table.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

/// As Accelergy 0.4 writes them, shortened.
constexpr const char* kErt = R"(ERT:
    version: '0.4'
    tables:
      - name: system_top_level.SMEM[1..1]
        actions:
          - name: read
            arguments: {}
            energy: 128.0
          - name: leak
            arguments:
                global_cycle_seconds: 1e-09
            energy: 0.008885
      - name: system_top_level.mac[1..1024]
        actions:
          - name: compute
            arguments: {}
            energy: 0.315
)";
constexpr const char* kArt = R"(ART:
    version: 0.3
    tables:
      - name: system_top_level.SMEM[1..1]
        area: 262144
)";

class CostFile : public testing::Test {
 protected:
  std::string error(const std::string& text) {
    const std::string path = folder_.write("c.yaml", text);
    const std::string message = error_of([&] { static_cast<void>(load_costs(path)); });
    const std::size_t at = message.rfind('/');
    return at == std::string::npos ? message : message.substr(at + 1);
  }
  CostTable table(const std::string& text) { return load_costs(folder_.write("c.yaml", text)); }
  [[nodiscard]] const ScratchFolder& folder() const { return folder_; }

 private:
  ScratchFolder folder_;
};

TEST_F(CostFile, EveryKey) {
  const CostTable read = table(
      "name: mine\ndescription: of mine\nnode_nm: 5\nbasis: own\nenergy:\n"
      "  - {unit: multipliers, action: mac, pj: 1.5, source: us}\n"
      "  - {unit: l2_cache, action: read_byte, pj: 3.5, dtype: int8, source: me}\n"
      "area:\n  - {unit: l2_cache, part: byte, um2: 2, source: her}\n");
  CostTable expected{"mine", "of mine", 5, CostBasis::own, {}, {}};
  expected.energies = {{Action::mac, std::nullopt, 1.5, "us"},
                       {Action::l2_read_byte, DataType::int8, 3.5, "me"}};
  expected.areas = {{Part::l2_byte, std::nullopt, 2, "her"}};
  EXPECT_TRUE(read.file.ends_with("/c.yaml")) << read.file;
  expected.file = read.file;
  EXPECT_EQ(read, expected);
  EXPECT_EQ(read.picojoules(Action::l2_read_byte, DataType::int8), 3.5);
  EXPECT_EQ(read.picojoules(Action::l2_read_byte, DataType::fp16), std::nullopt);
  EXPECT_EQ(read.square_micrometres(Part::l2_byte), 2);
}

TEST_F(CostFile, MistakesAreNamedWithTheirPlace) {
  const std::string head = "name: x\nenergy:\n";
  EXPECT_EQ(error(head + "  - {unit: drum, action: read_byte, pj: 1, source: s}\n"),
            "c.yaml:3:26: error: unknown unit 'drum', must be one of multipliers, "
            "operand_selector, metadata_buffer, register_file, shared_memory, memory_bus, "
            "l2_cache, epilogue, dram, static; did you mean 'dram'?");
  EXPECT_EQ(error(head + "  - {unit: dram, action: read_bite, pj: 1, source: s}\n"),
            "c.yaml:3:26: error: 'dram' has no 'read_bite', must be one of read_byte, write_byte; "
            "did you mean 'read_byte'?");
  EXPECT_EQ(error(head + "  - {unit: dram, action: read_byte, pj: -1, source: s}\n"),
            "c.yaml:3:41: error: 'pj' is '-1', must be a number from 0 to 1000000000000");
  EXPECT_THAT(error(head + "  - {unit: dram, action: read_byte, pj: 1}\n"),
              HasSubstr("c.yaml:3:5: error: 'source' is missing"));
  EXPECT_EQ(error(head + "  - {unit: dram, action: read_byte, pj: 1, source: s}\n"),
            "c.yaml:3:3: error: 'energy' has no 'multipliers' 'mac', must have one");
  const std::string twice = "  - {unit: multipliers, action: mac, pj: 1, source: s}\n";
  EXPECT_EQ(error(head + twice + twice),
            "c.yaml:4:33: error: multipliers mac is here a second time");
  EXPECT_EQ(error("name: x\nbasis: board\nenergy:\n" + twice),
            "c.yaml:4:3: error: 'energy' has no effect: the machine's 'power' says what its board "
            "draws");
  EXPECT_THAT(error("name: x\nbasis: bored\n"), HasSubstr("must be one of own, board"));
  EXPECT_THAT(error("name: x\nenrgy: []\n"), HasSubstr("did you mean 'energy'?"));
}

TEST_F(CostFile, ReadsAccelergysTablesByAMapOfNames) {
  static_cast<void>(folder().write("e.yaml", kErt));
  static_cast<void>(folder().write("a.yaml", kArt));
  const CostTable read = table(
      "name: mine\naccelergy:\n  ert: ./e.yaml\n  art: ./a.yaml\n  energy:\n"
      "    - {unit: multipliers, action: mac, dtype: int8, component: mac, component_action: "
      "compute}\n"
      "    - {unit: shared_memory, action: read_byte, component: SMEM, component_action: read, "
      "per: 32}\n"
      "    - {unit: static, action: sm_cycle, component: 'system_top_level.SMEM[1..1]', "
      "component_action: leak, arguments: {global_cycle_seconds: 1e-09}}\n"
      "  area:\n    - {unit: shared_memory, part: byte, component: SMEM, per: 65536}\n");
  EXPECT_EQ(
      read.energies,
      (std::vector<ActionEnergy>{
          {Action::mac, DataType::int8, 0.315, "mac of e.yaml"},
          {Action::shared_read_byte, std::nullopt, 4.0, "SMEM of e.yaml, per 32"},
          {Action::sm_cycle, std::nullopt, 0.008885, "system_top_level.SMEM[1..1] of e.yaml"}}));
  EXPECT_EQ(
      read.areas,
      (std::vector<PartArea>{{Part::shared_byte, std::nullopt, 4.0, "SMEM of a.yaml, per 65536"}}));
}

TEST_F(CostFile, WhatAMapAsksForHasToBeThere) {
  static_cast<void>(folder().write("e.yaml", kErt));
  const auto with = [&](const std::string& entry) {
    return error("name: x\naccelergy:\n  ert: ./e.yaml\n  energy:\n    - {unit: dram, " + entry +
                 "}\n");
  };
  EXPECT_EQ(with("action: read_byte, component: SNEM, component_action: read"),
            "c.yaml:5:50: error: the file has no 'SNEM'; did you mean 'SMEM'?");
  EXPECT_EQ(with("action: read_byte, component: SMEM, component_action: rite"),
            "c.yaml:5:74: error: the file's 'SMEM' has no such 'rite', must be one of read, leak");
  EXPECT_THAT(with("action: read_byte, component: SMEM, component_action: read, per: 0"),
              HasSubstr("'per' is '0', must be a number above 0"));
}

TEST_F(CostFile, ReadsAccelergysTablesWithOurNames) {
  const CostTable read = table(
      "ERT:\n  version: 0.4\n  tables:\n    - name: top.multipliers[0..3]\n      actions:\n"
      "        - {name: mac, arguments: {dtype: int8}, energy: 0.5}\n"
      "        - {name: mac, energy: 2}\n"
      "ART:\n  version: 0.4\n  tables:\n    - {name: \"top.dram.gb_per_s[1..1]\", area: 7}\n");
  EXPECT_EQ(read.name, "c");
  EXPECT_EQ(read.energies, (std::vector<ActionEnergy>{{Action::mac, DataType::int8, 0.5, "c.yaml"},
                                                      {Action::mac, std::nullopt, 2, "c.yaml"}}));
  EXPECT_EQ(read.areas, (std::vector<PartArea>{{Part::dram_gb_per_s, std::nullopt, 7, "c.yaml"}}));
  EXPECT_EQ(error("ERT:\n  tables:\n    - {name: top.SMEM, actions: [{name: read, energy: 1}]}\n"),
            "c.yaml:3:34: error: unknown unit 'SMEM', must be one of multipliers, "
            "operand_selector, metadata_buffer, register_file, shared_memory, memory_bus, "
            "l2_cache, epilogue, dram, static");
  EXPECT_THAT(error("ERT:\n  tables:\n    - {name: top.dram, actions: [{name: read_byte}]}\n"),
              HasSubstr("c.yaml:3:34: error: 'energy' is missing"));
}

}  // namespace
}  // namespace stcsim
