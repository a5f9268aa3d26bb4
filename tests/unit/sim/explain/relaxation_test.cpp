#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/field_json.hpp"
#include "models/base/time.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/explain/explanation.hpp"

namespace stcsim {
namespace {

/// An A100 of which every number that some relaxation names is even and finite.
MachineConfig make_even_machine() {
  MachineConfig machine = load_machine("a100").config;
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  sm.operand_selector.b_bytes_per_clk = 64;
  sm.operand_selector.lane_inputs = 4;
  sm.operand_selector.block_inputs = 8;
  sm.operand_selector.metadata_decode_cycles = 6;
  sm.operand_selector.metadata_fill_bytes_per_clk = 8;
  sm.operand_selector.metadata_decode_bytes_per_clk = 16;
  sm.operand_selector.metadata_buffer_bytes = 256;
  sm.operand_selector.selector_stages = 4;
  sm.operand_fetch.register_bytes_per_clk = 64;
  sm.operand_fetch.accumulator_bytes_per_clk = 128;
  sm.tensor_core.same_warp_bubble = Millicycles(2000);
  sm.tensor_core.same_warp_bubble_fp16 = Millicycles(4000);
  sm.tensor_core.cta_pair_cycles = 38;
  for (MmaInstruction& one : sm.tensor_core.instructions) one.latency_cycles = 30;
  sm.copy_engine.issue_bytes_per_clk = 64;
  sm.copy_engine.thread_bytes_per_clk = 32;
  sm.shared_memory.fill_bytes_per_clk = 64;
  sm.shared_memory.latency_cycles = 30;
  sm.shared_memory.barrier_cycles = 10;
  sm.epilogue.setup_cycles = 100;
  machine.accelerator.memory_bus.hop_cycles = 20;
  machine.accelerator.memory_bus.sm_write_bytes_per_clk = 32;
  machine.accelerator.memory_bus.read_bytes_per_clk = 4000;
  machine.accelerator.l2_cache.near_hit_cycles = 200;
  machine.accelerator.l2_cache.far_hit_cycles = 400;
  machine.accelerator.dram.bytes_per_clk = 1000;
  machine.accelerator.dram.latency_cycles = 500;
  machine.accelerator.cta_scheduler.launch_cycles = 1000;
  machine.accelerator.cta_scheduler.cta_setup_cycles = 200;
  return machine;
}

const MachineConfig& even_machine() {
  static const MachineConfig machine = make_even_machine();
  return machine;
}

/// The values of the accelerator by where they stand: "/sm/tensor_core/instructions/0/m".
nlohmann::json numbers_of(const MachineConfig& machine) {
  return to_json(machine.accelerator).flatten();
}

/// "/sm/tensor_core/instructions/0/m" as relaxations name it: "sm.tensor_core.instructions.m".
std::string relaxed_key(const std::string& place) {
  std::string key;
  std::istringstream parts(place.substr(1));
  for (std::string part; std::getline(parts, part, '/');) {
    if (part.find_first_not_of("0123456789") == std::string::npos) continue;
    key += (key.empty() ? "" : ".") + part;
  }
  return key;
}

/// "a.b, c, and the kernel's d": "a.b" and "a.c".
std::set<std::string> keys_named(const Relaxation& one) {
  const std::string text(one.keys);
  std::istringstream keys(text.substr(0, text.find(", and the kernel's ")));
  std::set<std::string> all;
  std::string map;
  for (std::string key; std::getline(keys >> std::ws, key, ',');) {
    const std::size_t dot = key.rfind('.');
    if (dot != std::string::npos) map = key.substr(0, dot + 1);
    all.insert(dot == std::string::npos ? map + key : key);
  }
  return all;
}

std::set<std::string> keys_changed(const MachineConfig& before, const MachineConfig& after) {
  const nlohmann::json old = numbers_of(before);
  const nlohmann::json now = numbers_of(after);
  std::set<std::string> keys;
  for (const auto& [place, value] : old.items()) {
    if (now.value(place, nlohmann::json()) != value) keys.insert(relaxed_key(place));
  }
  return keys;
}

bool is_cycles(const std::string& key) {
  return key.ends_with("_cycles") || key.ends_with("_stages");
}

MachineConfig relaxed(const Relaxation& one, std::int64_t factor) {
  MachineConfig machine = even_machine();
  one.machine(machine, factor);
  return machine;
}

/// Every key that a relaxation names changes, in every entry of a list, and nothing else does.
TEST(Relaxations, ChangeTheKeysThatTheyName) {
  for (const Relaxation& one : relaxations()) {
    SCOPED_TRACE(one.name);
    for (const std::int64_t factor : {std::int64_t{2}, kFree}) {
      MachineConfig after = relaxed(one, factor);
      EXPECT_EQ(keys_changed(even_machine(), after), keys_named(one));
      after.accelerator = even_machine().accelerator;
      EXPECT_EQ(after, even_machine()) << "outside of the accelerator";
    }
  }
}

TEST(Relaxations, DoubleWidthsAndHalveCycles) {
  const nlohmann::json before = numbers_of(even_machine());
  for (const Relaxation& one : relaxations()) {
    const nlohmann::json after = numbers_of(relaxed(one, 2));
    ASSERT_EQ(after.size(), before.size()) << one.name;
    for (const auto& [place, value] : after.items()) {
      const std::string key = relaxed_key(place);
      if (keys_named(one).count(key) == 0) continue;
      const auto old = before.at(place).get<std::int64_t>();
      EXPECT_EQ(value.get<std::int64_t>(), is_cycles(key) ? old / 2 : old * 2) << place;
    }
  }
}

/// An instruction takes one cycle at least.
TEST(Relaxations, OfCyclesLeaveNoneWhereTheyAreFree) {
  for (const Relaxation& one : relaxations()) {
    const nlohmann::json free = numbers_of(relaxed(one, kFree));
    for (const auto& [place, value] : free.items()) {
      const std::string key = relaxed_key(place);
      if (keys_named(one).count(key) == 0 || !is_cycles(key)) continue;
      const bool is_of_instruction = key == "sm.tensor_core.instructions.latency_cycles";
      EXPECT_EQ(value.get<std::int64_t>(), is_of_instruction ? 1 : 0) << place;
    }
  }
}

/// Every number of the machine that is a width or a time has a relaxation, in one of them alone:
/// the intervals of instructions are measurements.
TEST(Relaxations, NameEveryWidthAndEveryTimeOnce) {
  std::map<std::string, int> named;
  for (const Relaxation& one : relaxations()) {
    for (const std::string& key : keys_named(one)) ++named[key];
  }
  for (const auto& [key, times] : named) EXPECT_EQ(times, 1) << key;
  const nlohmann::json all = numbers_of(even_machine());
  for (const auto& [place, value] : all.items()) {
    const std::string key = relaxed_key(place);
    const bool is_measured = key == "sm.tensor_core.instructions.interval_cycles";
    if (is_measured || !(is_cycles(key) || key.ends_with("_per_clk"))) continue;
    EXPECT_EQ(named.count(key), 1U) << key;
  }
}

KernelLaunch launch_of_a_kernel() {
  KernelLaunch launch;
  launch.warp.bubble = Millicycles(400);
  launch.warp.groups_per_step = 4;
  launch.epilogue.source_wait = Cycles(600);
  launch.epilogue.staging_bytes_per_element = 8;
  launch.epilogue.trips = 4;
  launch.epilogue.element_bytes = 2;
  return launch;
}

TEST(Relaxations, ChangeOfALaunchTheEpilogueAndTheBubble) {
  for (const Relaxation& one : relaxations()) {
    SCOPED_TRACE(one.name);
    KernelLaunch expected = launch_of_a_kernel();
    if (one.name == "epilogue") {
      expected.epilogue.source_wait = Cycles(300);
      expected.epilogue.staging_bytes_per_element = 4;
      expected.epilogue.trips = 2;
    }
    if (one.name == "latencies") expected.warp.bubble = Millicycles(200);
    KernelLaunch launch = launch_of_a_kernel();
    if (one.launch != nullptr) one.launch(launch, 2);
    EXPECT_EQ(launch, expected);
    EXPECT_EQ(one.launch != nullptr, one.keys.find("the kernel's") != std::string_view::npos);
  }
}

}  // namespace
}  // namespace stcsim
