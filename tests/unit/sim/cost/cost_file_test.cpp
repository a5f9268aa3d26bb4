#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cost/cost_table.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

class CostFile : public testing::Test {
 protected:
  std::string error(const std::string& text) {
    const std::string path = folder_.write("c.yaml", text);
    const std::string message = error_of([&] { static_cast<void>(load_costs(path)); });
    const std::size_t at = message.rfind('/');
    return at == std::string::npos ? message : message.substr(at + 1);
  }
  CostTable table(const std::string& text) { return load_costs(folder_.write("c.yaml", text)); }

 private:
  ScratchFolder folder_;
};

TEST_F(CostFile, EveryKey) {
  const CostTable read = table(
      "name: mine\ndescription: of mine\nnode_nm: 5\nbasis: own\nenergy:\n"
      "  - {unit: multipliers, action: mac, pj: 1.5, source: us}\n"
      "  - {unit: l2_cache, action: read_byte, pj: 3.5, dtype: int8, source: me}\n"
      "area:\n  - {unit: l2_cache, part: byte, um2: 2, source: her}\n"
      "logic: {ps_per_level: 12.5, register_ps: 20, source: him}\n");
  CostTable expected{"mine", "of mine", 5, CostBasis::own, {}, {}};
  expected.energies = {{"multipliers", "mac", std::nullopt, 1.5, "us"},
                       {"l2_cache", "read_byte", DataType::int8, 3.5, "me"}};
  expected.areas = {{"l2_cache", "byte", std::nullopt, 2, "her"}};
  expected.logic = LogicSpeed{12.5, 20, "him"};
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
  const std::string mac = head + "  - {unit: multipliers, action: mac, pj: 1, source: s}\n";
  EXPECT_EQ(error(mac + "logic: {ps_per_level: 0, register_ps: 1, source: s}\n"),
            "c.yaml:4:23: error: 'ps_per_level' is '0', must be a number above 0 and up to 100000");
  EXPECT_THAT(error(mac + "logic: {ps_per_level: 1, source: s}\n"),
              HasSubstr("error: 'register_ps' is missing"));
  const std::string twice = "  - {unit: multipliers, action: mac, pj: 1, source: s}\n";
  EXPECT_EQ(error(head + twice + twice),
            "c.yaml:4:33: error: multipliers mac is here a second time");
  EXPECT_EQ(error("name: x\nbasis: board\nenergy:\n" + twice),
            "c.yaml:4:3: error: 'energy' has no effect: the machine's 'power' says what its board "
            "draws");
  EXPECT_THAT(error("name: x\nbasis: bored\n"), HasSubstr("must be one of own, board"));
  EXPECT_THAT(error("name: x\nenrgy: []\n"), HasSubstr("did you mean 'energy'?"));
}

}  // namespace
}  // namespace stcsim
