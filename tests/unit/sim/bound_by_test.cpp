#include "sim/run/bound_by.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// Ten SMs; a launch of 1000 cycles, of which the machine takes 10 to begin with.
class BoundBy : public testing::Test {
 protected:
  BoundBy() : machine_(test::tiny_machine()) {
    machine_.accelerator.num_sms = 10;
    machine_.accelerator.cta_scheduler = {10, 0};
    launch_.cycles = 1010;
    launch_.kernel.ctas = 10;
    launch_.kernel.waves = 1;
    launch_.kernel.split_k = 1;
  }
  /// Cycles out of the 1000, of every instance.
  void set(const std::string& unit, std::int64_t instances, const std::string& bucket,
           std::int64_t cycles) {
    launch_.units.push_back(
        {unit, instances, {{bucket, cycles * instances}, {"idle", (1010 - cycles) * instances}}});
  }
  [[nodiscard]] std::string answer() const { return bound_by(machine_, launch_); }

  MachineConfig machine_;
  LaunchResult launch_;
};

TEST_F(BoundBy, TheBusiestUnitOfAnSm) {
  set("tensor_core", 40, "busy", 900);
  set("shared_memory", 10, "fetch", 500);
  EXPECT_EQ(answer(), "multipliers");
}

TEST_F(BoundBy, OfTheSharedMemorysTimeTheLargerPart) {
  set("tensor_core", 40, "busy", 400);
  launch_.units.push_back({"shared_memory", 10, {{"fill", 3000}, {"fetch", 6000}}});
  EXPECT_EQ(answer(), "shared_memory_port");
  launch_.units.back().buckets = {{"fill", 6000}, {"fetch", 3000}};
  EXPECT_EQ(answer(), "fill");
}

TEST_F(BoundBy, WhatAllSmsShare) {
  set("tensor_core", 40, "busy", 300);
  machine_.accelerator.dram.bytes_per_clk = 10;
  machine_.accelerator.dram.write_queue_bytes = 9'000;
  launch_.counters = {{"dram_read_bytes", "bytes", 500}, {"dram_write_bytes", "bytes", 9'000}};
  EXPECT_EQ(answer(), "multipliers");  // the writes are carried out later
  launch_.counters = {{"dram_read_bytes", "bytes", 500}, {"dram_write_bytes", "bytes", 18'000}};
  EXPECT_EQ(answer(), "dram");
  launch_.counters = {{"dram_read_bytes", "bytes", 9'500}};
  EXPECT_EQ(answer(), "dram");
  launch_.counters = {};
  set("l2_cache_write", 1, "busy", 950);
  EXPECT_EQ(answer(), "l2_cache");
}

/// 11 CTAs on ten SMs: the second wave leaves nine of them idle.
TEST_F(BoundBy, ALastWaveThatIsNotFull) {
  set("tensor_core", 40, "busy", 300);
  set("shared_memory", 10, "fetch", 300);
  launch_.kernel.ctas = 11;
  launch_.kernel.waves = 1.1;
  EXPECT_EQ(answer(), "last_wave");
}

/// 15 CTAs at once: five SMs have two of them.
TEST_F(BoundBy, CtasThatAreNotEvenlySpread) {
  set("tensor_core", 40, "busy", 600);
  set("shared_memory", 10, "fetch", 600);
  launch_.kernel.ctas = 15;
  launch_.kernel.ctas_per_sm = 2;
  launch_.kernel.waves = 0.75;
  EXPECT_EQ(answer(), "last_wave");
}

TEST_F(BoundBy, SmsWithoutACta) {
  set("tensor_core", 40, "busy", 100);
  set("shared_memory", 10, "fetch", 100);
  launch_.kernel.ctas = 2;
  launch_.kernel.waves = 0.2;
  EXPECT_EQ(answer(), "too_few_ctas");
}

TEST_F(BoundBy, TheLaunchTwiceIfPartialSumsAreAddedUp) {
  set("tensor_core", 40, "busy", 300);
  set("shared_memory", 10, "fetch", 300);
  machine_.accelerator.cta_scheduler.launch_cycles = 30;
  EXPECT_NE(answer(), "launch");
  machine_.accelerator.cta_scheduler.launch_cycles = 300;
  EXPECT_EQ(answer(), "launch");
}

/// One would do no good without the other.
TEST_F(BoundBy, NothingByItself) {
  set("tensor_core", 40, "busy", 500);
  set("shared_memory", 10, "fetch", 500);
  EXPECT_EQ(answer(), "unclear");
}

}  // namespace
}  // namespace stcsim
