#include "sim/run/bound_by.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

using Buckets = std::vector<std::pair<std::string, std::int64_t>>;

/// Ten SMs, no latencies; a launch of 1010 cycles, of which the machine takes 10 to begin with.
class BoundBy : public testing::Test {
 protected:
  BoundBy() : machine_(test::tiny_machine()) {
    machine_.accelerator.num_sms = 10;
    machine_.accelerator.cta_scheduler = {10, 0};
    machine_.accelerator.l2_cache.far_hit_cycles = 0;
    machine_.accelerator.dram.latency_cycles = 0;
    machine_.accelerator.dram.bytes_per_clk = 10;
    launch_.cycles = 1010;
    launch_.kernel.ctas = 10;
    launch_.kernel.waves = 1;
    launch_.kernel.split_k = 1;
  }
  /// Cycles in the mean of all instances.
  void set(const std::string& unit, std::int64_t instances, Buckets buckets) {
    for (auto& bucket : buckets) bucket.second *= instances;
    launch_.units.push_back({unit, instances, std::move(buckets)});
  }
  /// Tensor cores limited by their multipliers.
  void set_math(std::int64_t cycles, std::int64_t waiting_memory = 0) {
    set("tensor_core", 40, {{"busy", cycles}, {"waiting_memory", waiting_memory}});
    set("multipliers", 40, {{"busy", cycles}});
  }
  void set_both_busy(std::int64_t cycles) {
    set_math(cycles);
    set("shared_memory", 10, {{"fetch", cycles}});
  }
  void set_dram_cycles(std::int64_t reads, std::int64_t writes) {
    launch_.counters = {{"dram_read_bytes", "bytes", reads * 10},
                        {"dram_write_bytes", "bytes", writes * 10}};
  }
  void set_ctas(std::int64_t ctas, std::int64_t per_sm, double waves) {
    launch_.kernel.ctas = ctas;
    launch_.kernel.ctas_per_sm = per_sm;
    launch_.kernel.waves = waves;
  }
  [[nodiscard]] std::string answer() const { return bound_by(machine_, launch_); }

  MachineConfig machine_;
  LaunchResult launch_;
};

TEST_F(BoundBy, TheBusiestUnitOfAnSm) {
  set_math(900);
  set("shared_memory", 10, {{"fetch", 500}});
  EXPECT_EQ(answer(), "multipliers");
}

TEST_F(BoundBy, OfAllStagesTheSlowest) {
  set("tensor_core", 40, {{"busy", 900}});
  set("multipliers", 40, {{"busy", 300}, {"blocked", 600}});
  set("operand_selector", 40, {{"busy", 900}});
  EXPECT_EQ(answer(), "operand_selector");
  set("register_file", 40, {{"busy", 880}});
  EXPECT_EQ(answer(), "unclear");
}

TEST_F(BoundBy, TheMetadatasWay) {
  set("tensor_core", 40, {{"busy", 900}});
  set("multipliers", 40, {{"busy", 300}});
  set("metadata_buffer", 40, {{"busy", 400}, {"filling", 500}});
  EXPECT_EQ(answer(), "metadata");
}

TEST_F(BoundBy, TheVectorUnitOfStreamKernels) {
  set("tensor_core", 40, {{"idle", 1010}});
  set("vector_unit", 40, {{"busy", 700}, {"waiting_memory", 300}});
  EXPECT_EQ(answer(), "vector_unit");
}

TEST_F(BoundBy, OfTheSharedMemorysTimeTheLargerPart) {
  set("tensor_core", 40, {{"busy", 400}, {"waiting_shared_memory", 500}});
  set("shared_memory", 10, {{"fill", 300}, {"fetch", 600}});
  EXPECT_EQ(answer(), "shared_memory_port");
  launch_.units.back().buckets = {{"fill", 6000}, {"fetch", 3000}};
  EXPECT_EQ(answer(), "fill");
}

TEST_F(BoundBy, WhatAllSmsShare) {
  set_math(300, 700);
  set_dram_cycles(950, 0);
  EXPECT_EQ(answer(), "dram");
  launch_.counters = {};
  set("l2_cache_write", 1, {{"busy", 950}});
  EXPECT_EQ(answer(), "l2_cache");
}

/// Writes wait until DRAM has nothing to read, if there is such a time.
TEST_F(BoundBy, WritesCountWhereDramIsNeverIdle) {
  set_math(600, 400);
  set("shared_memory", 10, {{"fetch", 600}});
  set_dram_cycles(100, 870);
  EXPECT_EQ(answer(), "dram");
  set_dram_cycles(100, 500);
  EXPECT_NE(answer(), "dram");
}

/// Without the multipliers it still reads and writes for 920 cycles.
TEST_F(BoundBy, NothingSavesMoreThanDramLeaves) {
  set_math(1000);
  set_dram_cycles(500, 420);
  EXPECT_EQ(answer(), "unclear");
  set_dram_cycles(500, 220);
  EXPECT_EQ(answer(), "multipliers");
}

TEST_F(BoundBy, TheEpilogueWhereNoMainLoopHidesIt) {
  set_both_busy(400);
  set("epilogue", 10, {{"setup", 500}, {"waiting_bus", 50}});
  EXPECT_EQ(answer(), "epilogue");
  launch_.units.clear();
  set_both_busy(1000);
  set("epilogue", 10, {{"setup", 500}, {"waiting_bus", 50}});
  EXPECT_EQ(answer(), "unclear");
}

TEST_F(BoundBy, LatenciesBetweenInstructions) {
  set_both_busy(300);
  EXPECT_EQ(answer(), "unclear");
  launch_.units.front().buckets.emplace_back("waiting_dependency", 40 * 600);
  EXPECT_EQ(answer(), "latencies");
}

/// That of the first data, and what remains if all units work one after the other.
TEST_F(BoundBy, LatenciesOfMemory) {
  machine_.accelerator.dram.latency_cycles = 400;
  set_math(500, 400);
  set("shared_memory", 10, {{"fetch", 600}});
  EXPECT_EQ(answer(), "latencies");
  machine_.accelerator.dram.latency_cycles = 0;
  EXPECT_EQ(answer(), "shared_memory_port");
  launch_.units.back().buckets.front().second = 100;
  EXPECT_EQ(answer(), "multipliers");
  launch_.units.clear();
  set_math(100, 800);
  EXPECT_EQ(answer(), "latencies");
}

/// 11 CTAs on ten SMs: the second wave leaves nine of them idle.
TEST_F(BoundBy, ALastWaveThatIsNotFull) {
  set_both_busy(550);
  set_ctas(11, 1, 1.1);
  EXPECT_EQ(answer(), "last_wave");
}

/// 15 CTAs at once: five SMs have two of them.
TEST_F(BoundBy, CtasThatAreNotEvenlySpread) {
  set_both_busy(750);
  set_ctas(15, 2, 0.75);
  EXPECT_EQ(answer(), "last_wave");
}

TEST_F(BoundBy, SmsWithoutACta) {
  set_both_busy(200);
  set_ctas(2, 1, 0.2);
  EXPECT_EQ(answer(), "too_few_ctas");
}

TEST_F(BoundBy, TheLaunchTwiceIfPartialSumsAreAddedUp) {
  set_both_busy(500);
  machine_.accelerator.cta_scheduler.launch_cycles = 60;
  EXPECT_EQ(answer(), "unclear");
  launch_.kernel.split_k = 2;
  EXPECT_EQ(answer(), "launch");
}

/// One would do no good without the other.
TEST_F(BoundBy, NothingByItself) {
  set_both_busy(900);
  EXPECT_EQ(answer(), "unclear");
}

}  // namespace
}  // namespace stcsim
