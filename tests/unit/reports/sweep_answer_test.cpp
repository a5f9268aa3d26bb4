#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/format.hpp"
#include "reports/sweep/sweep_table.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

constexpr const char* kDram = "machine.accelerator.dram.bytes_per_clk";

Space space_of_two() {
  return parse_space(
      "machines: [a100_nm]\ngemms: [{name: ff1, m: 64, n: 64, k: 64}, {name: layer3, m: 64, n: 64, "
      "k: 128}]\naxes: {gemm.pattern: [\"2:8\", \"1:8\"], machine.accelerator.dram.bytes_per_clk: "
      "[1000, 1500, 2000]}\n",
      "two.yaml");
}

/// Of both GEMMs at a pattern and DRAM.
void add(SweepTable& table, const char* pattern, std::int64_t dram, double ff1, double layer3) {
  for (const auto& [gemm, gain] : {std::pair("ff1", ff1), std::pair("layer3", layer3)}) {
    table.rows.push_back({{"point", table.rows.size() + 1},
                          {"kind", "gemm"},
                          {kDram, dram},
                          {"gemm", gemm},
                          {"gemm.pattern", pattern},
                          {"speedup", gain},
                          {"area_mm2", 600.0 + static_cast<double>(dram) / 10}});
  }
}

/// As one of eight users met it: in one front of all points, DRAM x2 seems to give 2 %.
SweepTable table_of_two() {
  SweepTable table;
  add(table, "2:8", 1000, 1.6, 1.0);
  add(table, "1:8", 1000, 1.8, 1.125);
  add(table, "2:8", 1500, 1.6, 1.0);
  add(table, "1:8", 1500, 1.8, 1.8);
  add(table, "2:8", 2000, 1.6, 1.6);
  add(table, "1:8", 2000, 1.8, 1.84);
  return table;
}

TEST(SweepAnswer, IsOverTheWholeWorkOfEachPattern) {
  EXPECT_EQ(sweep_answer(space_of_two(), table_of_two(), false, kAnyWidth),
            R"(two, 1:8: at best 1.82x of dense over ff1, layer3 (geometric mean): DRAM 2000 B/clk
3 of 3 choices are beaten by none in area and gain

            DRAM, B/clk  area mm2   gain    ff1  layer3
----------  -----------  --------  -----  -----  ------
least area         1000     700.0  1.42x  1.80x   1.12x
knee               1500     750.0  1.80x  1.80x   1.80x
fastest            2000     800.0  1.82x  1.80x   1.84x
what pays, all else equal: DRAM 1000 -> 2000 B/clk +27.9 %

two, 2:8: at best 1.60x of dense over ff1, layer3 (geometric mean): DRAM 2000 B/clk
2 of 3 choices are beaten by none in area and gain

            DRAM, B/clk  area mm2   gain    ff1  layer3
----------  -----------  --------  -----  -----  ------
least area         1000     700.0  1.26x  1.60x   1.00x
fastest            2000     800.0  1.60x  1.60x   1.60x
what pays, all else equal: DRAM 1000 -> 2000 B/clk +26.5 %
)");
}

TEST(SweepAnswer, IsOfEachWorkWhereThatIsAskedFor) {
  const std::string text = sweep_answer(space_of_two(), table_of_two(), true, kAnyWidth);
  EXPECT_THAT(text, HasSubstr("two, 1:8: at best 1.80x of dense of ff1: DRAM 1000 B/clk\n"
                              "1 of 3 choices are beaten by none"));
  EXPECT_THAT(text, HasSubstr("two, 1:8: at best 1.84x of dense of layer3: DRAM 2000 B/clk\n"));
  EXPECT_THAT(text, HasSubstr("two, 2:8: at best 1.60x of dense of layer3: DRAM 2000 B/clk\n"));
}

TEST(SweepAnswer, LeavesOutWhatLacksSomeOfTheWork) {
  SweepTable table = table_of_two();
  table.rows.pop_back();
  EXPECT_THAT(sweep_answer(space_of_two(), table, false, kAnyWidth),
              HasSubstr("two, 1:8: at best 1.80x of dense over ff1, layer3 (geometric mean): DRAM "
                        "1500 B/clk\n2 of 2 choices"));
  EXPECT_EQ(sweep_answer(space_of_two(), SweepTable{}, false, kAnyWidth), "");
}

TEST(SweepAnswer, PointsOfDifferentWorkOrPatternAreNeverInOneFront) {
  SweepTable table = table_of_two();
  for (const ordered_json& row : table.rows) {
    for (const auto& [key, value] : row.items()) table.shape[key] = nullptr;
  }
  const SweepTable front =
      pareto_front(table, {{"speedup", true}, {"area_mm2", false}}, space_of_two());
  std::vector<std::int64_t> points;
  for (const ordered_json& row : front.rows) points.push_back(row["point"]);
  // ff1 once for each pattern; layer3 with 1:8 on each machine, with 2:8 on the first and the last.
  EXPECT_EQ(points, (std::vector<std::int64_t>{1, 2, 3, 4, 8, 10, 12}));
}

TEST(AxisNames, SayTheirUnit) {
  const auto text = [](const std::string& name) { return axis_words(name, {name}).text(); };
  EXPECT_EQ(text("machine.accelerator.l2_cache.read_bytes_per_clk"), "L2 read, B/clk");
  EXPECT_EQ(text("machine.accelerator.dram.latency_cycles"), "DRAM latency, cycles");
  EXPECT_EQ(text("machine.accelerator.num_sms"), "SMs");
  EXPECT_EQ(text("machine.clock_mhz"), "clock, MHz");
  EXPECT_EQ(text("machine.accelerator.sm.shared_memory.bank_bytes"), "shared memory bank, B");
  EXPECT_EQ(text("network.batch"), "network batch");
  EXPECT_EQ(text("machine"), "machine");
  const std::vector<std::string> alike{"machine.a.l2.read_bytes", "machine.b.l2.read_cycles"};
  EXPECT_EQ(axis_words(alike[0], alike).text(), "read_bytes");
}

}  // namespace
}  // namespace stcsim
