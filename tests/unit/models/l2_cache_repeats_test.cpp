#include "tests/unit/models/l2_cache_fixture.hpp"

namespace stcsim::test {
namespace {

using Groups = std::vector<SmNumbers>;

/// Memory that is read several times, by loads of different sizes. What of them hits depends on who
/// comes first: of the requests of a cycle the SM with the lowest number does, however the SMs are
/// grouped.
class L2RepeatsTest : public L2CacheTest {
 protected:
  /// The four SMs are in slot 0 of the four CTAs of a column. Strips 0 and 2 are the same memory, 1
  /// and 3 too.
  void launch_column(KernelLaunch column) {
    column.tiles_m = column.a.strips = 4;
    launch(column);
    for (const std::int64_t sm : {0, 1, 2, 3}) resident_.assign(sm, 0, {column, sm});
  }
  /// Strip 3, the last, has 80 rows instead of 200.
  void launch_with_a_low_strip() {
    KernelLaunch column = kernel();
    column.a.edge_rows = 80;
    launch_column(column);
  }
  /// Every group asks for A of k-step 0.
  void ask_all(std::int64_t at, const Groups& groups) {
    for (const SmNumbers& sms : groups) ask(at, 0, sms);
    run(at);
  }
};

const std::vector<Groups>& groupings() {
  static const std::vector<Groups> all{
      {{0, 1, 2, 3}}, {{0}, {1}, {2}, {3}}, {{0, 3}, {1, 2}}, {{0, 2, 3}, {1}}, {{0, 2}, {1, 3}}};
  return all;
}

/// Strip 0: SM 0 misses, SM 2 hits 200 bytes. Strip 1: SM 1 misses, SM 3 hits its 80.
TEST_F(L2RepeatsTest, TheLowestNumberComesFirstInEveryGrouping) {
  for (const Groups& groups : groupings()) {
    SCOPED_TRACE(testing::Message() << groups.size() << " groups");
    launch_with_a_low_strip();
    dram_.sent.clear();
    ask_all(10, groups);
    EXPECT_EQ(count(core_, "l2_read_bytes"), 3 * 200 + 80);
    EXPECT_EQ(count(core_, "l2_hit_bytes"), 200 + 80);
    ASSERT_EQ(dram_.sent.size(), 1U);
    EXPECT_EQ(dram_.sent[0].message.bytes, 2 * 200);
  }
}

/// All wait for the same fill and are answered as it comes: 680 bytes, 7 cycles of the read path,
/// 50 .. 57. SMs 0 and 2 are near strip 0, SMs 1 and 3 near strip 1.
TEST_F(L2RepeatsTest, TheGroupingDoesNotShowInTheAnswers) {
  for (const Groups& groups : groupings()) {
    SCOPED_TRACE(testing::Message() << groups.size() << " groups");
    launch_with_a_low_strip();
    dram_.sent.clear();
    responses_.sent.clear();
    ask_all(10, groups);
    fill(50, 50, 0);
    std::vector<bool> answered(4);
    for (const auto& response : responses_.sent) {
      EXPECT_EQ(response.at, Cycle(51 + 20));
      EXPECT_EQ(response.message.last, Cycle(57 + 20));
      for (const std::int32_t sm : sets_.members(response.message.sms)) {
        EXPECT_FALSE(answered[static_cast<std::size_t>(sm)]);
        answered[static_cast<std::size_t>(sm)] = true;
      }
    }
    EXPECT_EQ(answered, std::vector<bool>(4, true));
  }
}

/// A low strip that comes first, in an earlier cycle, brings in all of the memory: 200 bytes, of
/// which the full one then hits 200.
TEST_F(L2RepeatsTest, ALowStripBringsInTheWholeSlice) {
  launch_with_a_low_strip();
  load(10, 0, {3});
  EXPECT_EQ(dram_.sent[0].message.bytes, 200);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 0);
  load(11, 0, {1});
  EXPECT_EQ(dram_.sent.size(), 1U);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 200);
}

/// Three k-steps on two slices: k-step 2, the last and a quarter as long, reads slice 0 again. Even
/// SMs share a strip, odd ones too. SMs 0 and 3 ask for k-step 2, SMs 1 and 2 for k-step 0: of
/// strip 0 SM 0 misses and SM 2 hits 200 bytes, of strip 1 SM 1 misses and SM 3 hits 50.
TEST_F(L2RepeatsTest, StepsOfDifferentLengthsComeByNumberToo) {
  for (const bool grouped : {true, false}) {
    KernelLaunch column = kernel();
    column.k_steps = 3;
    column.a = {4, 50, 50, 4, 1, 2, 2};
    launch_column(column);
    dram_.sent.clear();
    for (const SmNumbers& sms : grouped ? Groups{{0, 3}} : Groups{{0}, {3}}) ask(10, 2, sms);
    for (const SmNumbers& sms : grouped ? Groups{{1, 2}} : Groups{{1}, {2}}) ask(10, 0, sms);
    run(10);
    EXPECT_EQ(count(core_, "l2_read_bytes"), 2 * 200 + 2 * 50);
    EXPECT_EQ(count(core_, "l2_hit_bytes"), 200 + 50);
    ASSERT_EQ(dram_.sent.size(), 1U);
    EXPECT_EQ(dram_.sent[0].message.bytes, 2 * 200);
  }
}

/// Slices of equal sizes need no order: SMs that are answered alike are answered together.
TEST_F(L2RepeatsTest, EqualSizesStayTogether) {
  launch_column(kernel());
  ask_all(10, {{0, 1, 2, 3}});
  fill(50, 50, 0);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 2 * 200);
  ASSERT_EQ(responses_.sent.size(), 1U);
  EXPECT_EQ(sms_of(0), (SmNumbers{0, 1, 2, 3}));
}

}  // namespace
}  // namespace stcsim::test
