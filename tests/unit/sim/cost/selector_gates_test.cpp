#include "sim/cost/selector_gates.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

/// What `read` makes of a file with that text.
template <class Read>
auto from_text(const std::string& text, const Read& read) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "gates.csv";
  std::ofstream(file) << text;
  return read(file);
}

SelectorGates gates_from(const std::string& text) {
  return from_text(text, [](const auto& file) { return SelectorGates(file); });
}

/// At 1000 MHz, with 100 ps a level and 100 ps of registers: 9 levels a cycle.
std::optional<SelectorDepth> depth_from(const std::string& text,
                                        const OperandSelectorConfig& selector) {
  return from_text(text, [&](const auto& file) {
    return selector_depth(selector, 1000, {100, 100, ""}, CsvTable::read(file));
  });
}

TEST(SelectorGates, AreARangeOverCodingsAndFlows) {
  const SelectorGates gates = gates_from(
      "pattern,lanes,coding,flow,transistors\n"
      "2:4,crossbar,case,cmos,680\n2:4,crossbar,part,mux,1152\n2:4,crossbar,case,mux,1400\n"
      "2:4,ordered,case,cmos,544\n");
  EXPECT_EQ(gates.of({2, 4}, false), (TransistorRange{680, 1400}));
  EXPECT_EQ(gates.of({2, 4}, true), (TransistorRange{544, 544}));
  EXPECT_EQ(gates.of({1, 8}, false), std::nullopt);
}

TEST(SelectorGates, WrongTablesAreRefused) {
  const std::string head = "pattern,lanes,coding,flow,transistors\n";
  EXPECT_THROW(gates_from(head + "dense,crossbar,case,cmos,680\n"), ConfigError);
  EXPECT_THROW(gates_from(head + "2:4,butterfly,case,cmos,680\n"), ConfigError);
  EXPECT_THROW(gates_from(head + "2:4,ordered,case,cmos,many\n"), ConfigError);
}

/// Not where a pattern with fewer values has as many places, nor where slots of short groups are
/// skipped.
TEST(SelectorGates, LanesAreOrderedWhereThePatternsAllowIt) {
  OperandSelectorConfig selector;
  selector.native_patterns = {{2, 4}, {4, 8}, {1, 8}};
  EXPECT_TRUE(has_ordered_lanes(selector, {2, 4}));
  EXPECT_FALSE(has_ordered_lanes(selector, {4, 8}));
  EXPECT_TRUE(has_ordered_lanes(selector, {1, 8}));
  selector.skipped_zeros = SkippedZeros::b;
  EXPECT_TRUE(has_ordered_lanes(selector, {2, 4}));
  selector.skipped_zeros = SkippedZeros::a;
  EXPECT_FALSE(has_ordered_lanes(selector, {2, 4}));
  selector.skipped_zeros = SkippedZeros::none;
  selector.short_groups = kSkippedSlots;
  EXPECT_FALSE(has_ordered_lanes(selector, {2, 4}));
  selector.short_groups = kPaddedSlots;
  selector.lanes = Lanes::crossbar;
  EXPECT_FALSE(has_ordered_lanes(selector, {2, 4}));
}

/// 2:4 has two slots with three multiplexers of 16 bits each: 96 of 12 transistors, 1152.
TEST(SelectorGates, AreComparedWithTwelveTransistorsAMultiplexer) {
  OperandSelectorConfig selector;
  selector.native_patterns = {{2, 4}};
  const SelectorGates gates = gates_from(
      "pattern,lanes,coding,flow,transistors\n2:4,ordered,case,cmos,576\n2:4,ordered,part,mux,"
      "1152\n");
  const auto share = gate_share(selector, gates);
  ASSERT_TRUE(share.has_value());
  EXPECT_DOUBLE_EQ(share->least, 0.5);
  EXPECT_DOUBLE_EQ(share->most, 1.0);
  selector.native_patterns = {{3, 8}};
  EXPECT_FALSE(gate_share(selector, gates).has_value());
}

/// A group of 2:4 feeds two multipliers; with lanes of two inputs the table says nothing.
TEST(SelectorGates, AreSharedByTheMultipliersOfAGroup) {
  OperandSelectorConfig selector;
  selector.native_patterns = {{2, 4}};
  const SelectorGates gates = gates_from(
      "pattern,lanes,coding,flow,transistors\n2:4,ordered,case,cmos,544\n2:4,ordered,part,mux,"
      "1078\n");
  EXPECT_EQ(transistors_per_multiplier(selector, {2, 4}, gates), (TransistorRange{272, 539}));
  EXPECT_EQ(transistors_per_multiplier(selector, {4, 8}, gates), std::nullopt);
  EXPECT_EQ(transistors_per_multiplier(selector, kDense, gates), std::nullopt);
  selector.lane_inputs = 2;
  EXPECT_EQ(transistors_per_multiplier(selector, {2, 4}, gates), std::nullopt);
}

/// 9 levels need no register in between, 10 one, 19 two; decoders and other lanes do not count.
TEST(SelectorGates, TheDeepestSelectorSaysHowManyStagesTheClockNeeds) {
  const std::string text =
      "pattern,circuit,gates,area,levels,library\n2:4,ordered,1,1,9,unit\n2:4,crossbar,1,1,10,"
      "unit\n2:4,bitmask,1,1,99,unit\n2:8,butterfly,1,1,19,unit\n1:8,ordered,1,1,8,unit\n";
  OperandSelectorConfig selector;
  selector.native_patterns = {{2, 4}, {1, 8}};
  EXPECT_EQ(depth_from(text, selector), (SelectorDepth{{2, 4}, 9, 9, 0, 0}));
  selector.lanes = Lanes::crossbar;
  selector.selector_stages = 2;
  EXPECT_EQ(depth_from(text, selector), (SelectorDepth{{2, 4}, 10, 9, 1, 2}));
  selector.native_patterns = {{2, 8}};
  EXPECT_EQ(depth_from(text, selector), std::nullopt);
  selector.lanes = Lanes::butterfly;
  EXPECT_EQ(depth_from(text, selector), (SelectorDepth{{2, 8}, 19, 9, 2, 2}));
  selector.lanes = Lanes::ordered;
  selector.native_patterns = {{2, 4}};
  selector.lane_inputs = 2;  // passes are no matter of this table
  EXPECT_EQ(depth_from(text, selector), std::nullopt);
  EXPECT_THROW(depth_from("pattern,circuit,levels\n2:4,ordered,deep\n", selector), ConfigError);
  EXPECT_THROW(depth_from("pattern,circuit\n2:4,ordered\n", selector), ConfigError);
}

/// At a clock that leaves one level a cycle each level but one needs a register in front.
TEST(SelectorGates, NoClockNeedsMoreRegistersThanLevels) {
  OperandSelectorConfig selector;
  selector.native_patterns = {{2, 4}};
  const auto depth = from_text("pattern,circuit,levels\n2:4,ordered,5\n", [&](const auto& file) {
    return selector_depth(selector, 1e6, {25, 45, ""}, CsvTable::read(file));
  });
  EXPECT_EQ(depth, (SelectorDepth{{2, 4}, 5, 1, 4, 0}));
}

/// Ordered selectors save 17 to 28 % at 2:4 and 42 to 47 % at 16:32 in one flow; nothing where one
/// value is kept.
TEST(SelectorGates, ShippedOnesAreSmallerWhereOrdered) {
  const SelectorGates& gates = shipped_selector_gates();
  for (const Pattern pattern : {Pattern{2, 4}, Pattern{4, 8}, Pattern{8, 16}, Pattern{16, 32}}) {
    const auto crossbar = gates.of(pattern, false);
    const auto ordered = gates.of(pattern, true);
    ASSERT_TRUE(crossbar && ordered) << pattern.to_string();
    EXPECT_LT(ordered->fewest, crossbar->fewest) << pattern.to_string();
    EXPECT_LT(ordered->most, crossbar->most) << pattern.to_string();
  }
  EXPECT_EQ(gates.of({1, 8}, true), gates.of({1, 8}, false));
}

}  // namespace
}  // namespace stcsim
