#include "sim/job/job_key.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/make_problem.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

struct Given {
  MachineConfig machine = test::tiny_machine();
  KernelPolicy policy;
  std::string statistics = "dram busy idle dram_read_bytes(byte)\n";
  std::int64_t behaviour = kBehaviourVersion;
  Work work = GemmWork{test::make_problem(32, 16, 64, 1, DataType::fp16, {2, 4})};
  std::optional<LaunchConditions> conditions = {};

  [[nodiscard]] GemmProblem& gemm() { return std::get<GemmWork>(work).problem; }
  [[nodiscard]] std::string key() const {
    const JobMachine of_job{&machine, machine.clock_mhz,
                            machine_digests(machine, statistics, behaviour)};
    return key_of({&of_job, work, policy, conditions});
  }
};

using Edit = std::function<void(Given&)>;

std::string key_after(const Edit& change) {
  Given given;
  change(given);
  return given.key();
}

/// Keys of the point as it is and after each change.
std::set<std::string> keys_after(const std::vector<Edit>& changes) {
  std::set<std::string> keys{Given().key()};
  for (const Edit& change : changes) keys.insert(key_after(change));
  return keys;
}

TEST(JobKeys, AreHexadecimalAndTheSameAgain) {
  const std::string key = Given().key();
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(Given().key(), key);
}

TEST(JobKeys, DifferWithEveryPartOfTheGemm) {
  const std::vector<Edit> changes{
      [](Given& given) { given.gemm().m = 33; },
      [](Given& given) { given.gemm().n = 33; },
      [](Given& given) { given.gemm().k = 33; },
      [](Given& given) { given.gemm().batch_count = 2; },
      [](Given& given) { given.gemm().dtype = DataType::bf16; },
      [](Given& given) {
        given.gemm().a_pattern = {1, 4};
      },
      [](Given& given) { given.gemm().a.unique_rows = 1; },
      [](Given& given) { given.gemm().a.unique_k = 1; },
      [](Given& given) { given.gemm().b.unique_rows = 1; },
      [](Given& given) { given.gemm().b.unique_k = 1; },
      [](Given& given) { given.gemm().a_layout = OperandLayout::mn_major; },
      [](Given& given) { given.gemm().b_layout = OperandLayout::mn_major; },
      [](Given& given) { given.gemm().c_layout = OutputLayout::column_major; },
      [](Given& given) {
        given.gemm().c_pattern = {2, 4};
      },
      [](Given& given) {
        given.work = GemmWork{given.gemm(), true};
      },
      [](Given& given) {
        given.work = GemmWork{given.gemm(), true, "mvue"};
      },
  };
  EXPECT_EQ(keys_after(changes).size(), changes.size() + 1);
}

TEST(JobKeys, DifferWithTheStreamWork) {
  const auto stream = [](std::int64_t read, std::int64_t write, std::int64_t ops) {
    return [=](Given& given) { given.work = StreamWork{read, write, ops}; };
  };
  EXPECT_EQ(keys_after({stream(0, 0, 0), stream(1, 0, 0), stream(0, 1, 0), stream(0, 0, 1)}).size(),
            5U);
}

TEST(JobKeys, DifferWithTheLaunches) {
  const auto launches = [](const std::vector<std::int64_t>& k) {
    return [=](Given& given) {
      LaunchSequence work;
      for (const std::int64_t of_one : k) work.launches.emplace_back().k = of_one;
      given.work = work;
    };
  };
  EXPECT_EQ(
      keys_after({launches({8}), launches({16}), launches({8, 16}), launches({16, 8})}).size(), 5U);
}

TEST(JobKeys, DifferWithEveryPartOfTheConditions) {
  const auto conditions = [](const LaunchConditions& launched) {
    return [=](Given& given) { given.conditions = launched; };
  };
  const std::vector<Edit> changes{
      conditions({}),
      conditions({.values = OperandValues::zeros}),
      conditions({.locked_clock_mhz = 1000}),
      conditions({.launch_us = 1000}),
      conditions({.same_operands = true}),
      conditions({.launches = 1000}),
  };
  EXPECT_EQ(keys_after(changes).size(), changes.size() + 1);
}

TEST(JobKeys, DifferWithTheMachineThePolicyTheStatisticsAndTheBehaviour) {
  const std::vector<Edit> changes{
      [](Given& given) { given.machine.clock_mhz = 1000.5; },
      [](Given& given) { given.machine.accelerator.num_sms = 2; },
      [](Given& given) { given.machine.accelerator.sm.epilogue.setup_cycles = 31; },
      [](Given& given) {
        given.machine.split_k = {1, 2};
      },
      [](Given& given) { given.machine.kernels.pop_back(); },
      [](Given& given) {
        given.machine.accelerator.sm.operand_selector.native_patterns_by_type = {
            {DataType::tf32, {{1, 2}}}};
      },
      [](Given& given) {
        given.machine.libraries = {{"a", {}}};
      },
      [](Given& given) { given.machine.kernels.front().name = "other"; },
      [](Given& given) { std::swap(given.machine.kernels[0], given.machine.kernels[1]); },
      [](Given& given) { given.policy.kernel = "dense"; },
      [](Given& given) { given.policy.candidates = 2; },
      [](Given& given) { given.policy.stack = "a"; },
      [](Given& given) { given.policy.sampled = true; },
      [](Given& given) {
        given.machine.stacks = {{"a", "kernels", "search", "kernels", "search"}};
      },
      [](Given& given) {
        given.machine.other_stacks = {{"a", "kernels", "search", "kernels", "search"}};
      },
      [](Given& given) { given.statistics += "l2_cache busy idle\n"; },
      [](Given& given) { given.behaviour = kBehaviourVersion + 1; },
  };
  EXPECT_EQ(keys_after(changes).size(), changes.size() + 1);
}

TEST(JobKeys, OfStreamsDoNotDependOnTheKernelPolicy) {
  const Edit stream = [](Given& given) { given.work = StreamWork{1, 2, 3}; };
  EXPECT_EQ(key_after(stream), key_after([&](Given& given) {
              stream(given);
              given.policy = {"dense", 1};
            }));
}

TEST(JobKeys, DoNotDependOnWhatTheMachineIsCalled) {
  EXPECT_EQ(keys_after({[](Given& given) { given.machine.name = "other"; },
                        [](Given& given) { given.machine.description = "another"; }})
                .size(),
            1U);
}

/// What machines have for sparse operands: no launch without one can tell.
const std::vector<Edit> kSparseChanges{
    [](Given& given) { given.machine.accelerator.sm.operand_selector.b_bytes_per_clk = 17; },
    [](Given& given) {
      given.machine.accelerator.sm.operand_selector.native_patterns = {{1, 8}};
    },
    [](Given& given) { given.machine.accelerator.sm.operand_selector.metadata_buffer_bytes = 8; },
    [](Given& given) {
      test::add_instruction(given.machine, DataType::fp16, {1, 4}, 64);
    },
    [](Given& given) {
      given.machine.kernels.push_back(test::make_kernel("more", true, 16, 8, 32, 2, 1, 1));
    },
};

TEST(JobKeys, OfDenseLaunchesDoNotDependOnSparseHardware) {
  const auto count = [](const Work& work) {
    std::set<std::string> keys;
    for (const Edit& change : kSparseChanges) {
      Given given;
      given.work = work;
      keys.insert(given.key());
      change(given);
      keys.insert(given.key());
    }
    return keys.size();
  };
  const GemmProblem dense = test::make_problem(32, 16, 64, 1, DataType::fp16, kDense);
  GemmProblem sparse = dense;
  sparse.a_pattern = {2, 4};
  EXPECT_EQ(count(GemmWork{dense}), 1U);
  EXPECT_EQ(count(StreamWork{1, 2, 3}), 1U);
  EXPECT_EQ(count(GemmWork{sparse}), kSparseChanges.size() + 1);
}

/// Neither do their results, on random machines of which every number of the selector, and so every
/// new one, is halved, doubled or left.
TEST(JobKeys, NeitherDoResultsOfDenseLaunches) {
  const std::uint64_t seed = test::seed_or(21);
  SCOPED_TRACE(seed);
  test::Dice dice(seed);
  std::vector<MachineConfig> machines;
  for (int at = 0; at < 12; ++at) {
    MachineConfig machine = test::tiny_machine();
    if (at % 2 == 0) test::randomise_sm(machine.accelerator.sm, dice);
    Given other{machine, {}, "", 1, {}};
    for (const Edit& change : kSparseChanges) change(other);
    test::RandomFields fields(dice);
    OperandSelectorConfig& selector = other.machine.accelerator.sm.operand_selector;
    OperandSelectorConfig::visit_fields(selector, fields);
    machines.insert(machines.end(), {machine, other.machine});
  }
  std::vector<std::unique_ptr<MachineRunner>> runners;  // SystemC wants all before the first run
  for (const MachineConfig& machine : machines) {
    runners.push_back(std::make_unique<MachineRunner>(machine));
  }
  for (std::size_t at = 0; at < runners.size(); at += 2) {
    MachineRunner& one = *runners[at];
    MachineRunner& other = *runners[at + 1];
    for (const DataType type : {DataType::fp16, DataType::int8}) {
      const GemmProblem dense = test::make_problem(48, 24, 128, 1, type, kDense);
      EXPECT_EQ(run_gemm(one, dense, {}).result, run_gemm(other, dense, {}).result) << at;
    }
    const StreamWork stream{4096, 2048, 512};
    EXPECT_EQ(run_stream(one, stream), run_stream(other, stream)) << at;
  }
}

/// Neither do results: of every operand type, sparse or not, on machines with sparse tensor cores
/// for all types, for none, and for one.
TEST(JobKeys, NeitherDoResultsDependOnIt) {
  MachineConfig all = test::tiny_machine();
  MachineConfig none = all;
  none.accelerator.sm.operand_selector.native_patterns.clear();
  MachineConfig one = none;
  one.accelerator.sm.operand_selector.native_patterns_by_type = {{DataType::int8, {{2, 4}}}};
  std::vector<std::unique_ptr<MachineRunner>> runners;  // SystemC wants all before the first run
  for (MachineConfig machine : {all, none, one}) {
    for (const char* const name : {"one", "two"}) {
      machine.name = name;
      runners.push_back(std::make_unique<MachineRunner>(machine));
    }
  }
  for (std::size_t index = 0; index < runners.size(); index += 2) {
    for (const DataType type : operand_data_types()) {
      for (const Pattern pattern : {kDense, Pattern{2, 4}, Pattern{4, 8}}) {
        const GemmProblem problem = test::make_problem(32, 16, 64, 1, type, pattern);
        const GemmRun first = run_gemm(*runners[index], problem, {});
        const GemmRun second = run_gemm(*runners[index + 1], problem, {});
        EXPECT_EQ(first.result, second.result) << to_string(type);
        EXPECT_EQ(first.reason, second.reason) << to_string(type);
      }
    }
  }
}

}  // namespace
}  // namespace stcsim
