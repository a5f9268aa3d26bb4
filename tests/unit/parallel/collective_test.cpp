#include "models/collectives/collective.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

/// 100 GB/s of a link, all of it with one protocol: 10 us, and 1 us a step.
LinksConfig plain_links() {
  LinksConfig links;
  links.gb_per_s = 100;
  links.own_gb_per_s = 200;
  links.simple = {10, 1, 1};
  return links;
}

constexpr double kMegabyte = 1e6;

TEST(Collective, ARingPassesAllPartsButOneOnAndCopiesItsOwn) {
  // Four parts of 1 MB: three of 10 us over the link, one of 5 us inside, three steps of 1 us.
  const Collective what{CollectiveOp::all_gather, 4 * kMegabyte, 4, 1};
  const CollectiveTime time = collective_time(plain_links(), what);
  EXPECT_DOUBLE_EQ(time.us, 10 + 3 + 30 + 5);
  EXPECT_EQ(time.way, "ring, simple");
  const Collective scatter{CollectiveOp::reduce_scatter, 4 * kMegabyte, 4, 1};
  EXPECT_DOUBLE_EQ(collective_time(plain_links(), scatter).us, time.us);
}

TEST(Collective, AnAllReduceGoesRoundTwice) {
  const Collective what{CollectiveOp::all_reduce, 4 * kMegabyte, 4, 1};
  EXPECT_DOUBLE_EQ(collective_time(plain_links(), what).us, 10 + 6 + 60 + 5);
}

TEST(Collective, OneGpuNeedsNothing) {
  EXPECT_EQ(collective_time(plain_links(), {CollectiveOp::all_reduce, kMegabyte, 1, 1}).us, 0);
}

TEST(Collective, TheFastestProtocolCounts) {
  LinksConfig links = plain_links();
  links.ll = ProtocolConfig{1, 0, 0.25};
  const auto way = [&](double bytes) {
    return collective_time(links, {CollectiveOp::all_gather, bytes, 2, 1}).way;
  };
  EXPECT_EQ(way(1000), "ring, ll");
  EXPECT_EQ(way(kMegabyte), "ring, simple");
}

TEST(Collective, TheSwitchSumsAllReducesOfEnoughGpus) {
  LinksConfig links = plain_links();
  links.nvls = ProtocolConfig{0, 0, 1};
  const Collective what{CollectiveOp::all_reduce, 8 * kMegabyte, 8, 1};
  const CollectiveTime time = collective_time(links, what);
  EXPECT_EQ(time.way, "nvls");
  EXPECT_DOUBLE_EQ(time.us, 8e6 * (1 + 1.0 / 8) / 100e3);
  EXPECT_EQ(collective_time(links, {CollectiveOp::all_reduce, kMegabyte, 4, 1}).way,
            "ring, simple");
  EXPECT_EQ(collective_time(links, {CollectiveOp::all_gather, 8 * kMegabyte, 8, 1}).way,
            "ring, simple");
}

TEST(Collective, BetweenNodesTheSlowestLinkSetsThePace) {
  LinksConfig links = plain_links();
  links.between_nodes = NetworkLinksConfig{50, 0.5, 3};
  // Sixteen parts of 1 MB at 25 GB/s, a step of 3 us for each of two nodes.
  const Collective what{CollectiveOp::all_gather, 16 * kMegabyte, 16, 2};
  EXPECT_DOUBLE_EQ(collective_time(links, what).us, 10 + 15 + 2 * 3 + 15 * 40 + 5);
}

TEST(Collective, OverTwoNodesATreeSendsTheDataOnceOverFourTwice) {
  LinksConfig links = plain_links();
  links.gb_per_s = 1e6;
  links.between_nodes = NetworkLinksConfig{50, 1, 3};
  const auto tree = [&](std::int64_t nodes) {
    return collective_time(links, {CollectiveOp::all_reduce, 10 * kMegabyte, 8 * nodes, nodes});
  };
  EXPECT_EQ(tree(2).way, "tree");
  EXPECT_DOUBLE_EQ(tree(2).us, 10 + 2 * 7 + 2 * 3 + 10e6 / 50e3);
  EXPECT_DOUBLE_EQ(tree(4).us, 10 + 2 * 7 + 4 * 3 + 2 * 10e6 / 50e3);
}

TEST(Collective, NodesThatNothingLinksAreRefused) {
  EXPECT_THROW((void)collective_time(plain_links(), {CollectiveOp::all_reduce, kMegabyte, 16, 2}),
               std::invalid_argument);
}

TEST(Collective, BusBandwidthIsWhatEveryLinkCarries) {
  EXPECT_DOUBLE_EQ(bus_gb_per_s({CollectiveOp::all_reduce, 8 * kMegabyte, 8, 1}, 100), 140);
  EXPECT_DOUBLE_EQ(bus_gb_per_s({CollectiveOp::all_gather, 8 * kMegabyte, 8, 1}, 100), 70);
}

}  // namespace
}  // namespace stcsim
