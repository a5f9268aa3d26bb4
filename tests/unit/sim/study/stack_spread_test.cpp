#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/library.hpp"
#include "sim/study/study.hpp"
#include "sim/study/study_plan.hpp"
#include "tests/support/tiny_machine.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

LibraryKernel kernel_of(const MachineConfig& machine, std::size_t at) {
  LibraryKernel entry;
  entry.kernel = machine.kernels[at];
  entry.kernel.name = "library_" + entry.kernel.name;
  return entry;
}

/// A library that by its rule takes one stage only; a search also finds two.
MachineConfig machine_with_stacks() {
  MachineConfig machine = test::tiny_machine();
  LibraryKernel one_stage = kernel_of(machine, 1);
  one_stage.chosen_by = kByRule;
  LibraryKernel two_stages = kernel_of(machine, 0);
  two_stages.chosen_by = kBySearch;
  machine.libraries = {{"lib", {one_stage, two_stages, kernel_of(machine, 2)}}};
  machine.stacks = {{"lib1_rule", "lib", kByHeuristic, "lib", kByHeuristic},
                    {"lib1_search", "lib", kBySearch, "lib", kBySearch},
                    {"mixed", "lib", kByHeuristic, kOwnKernels, kBySearch}};
  return machine;
}

Experiment experiment_on(const MachineConfig& machine) {
  Experiment experiment;
  experiment.machines = {{"tiny", machine}};
  Layer layer;
  layer.name = "fc";
  layer.kind = LayerKind::linear;
  layer.in_channels = 256;
  layer.out_channels = 64;
  layer.height = 64;
  Network network;
  network.name = "net";
  network.batch = 1;
  network.layers = {layer};
  experiment.networks = {network};
  experiment.phases = {Phase::forward};
  Scheme dense;
  dense.name = "dense";
  Scheme pruned;
  pruned.name = "pruned";
  pruned.phases[0].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_in, {2, 4}};
  experiment.schemes = {dense, pruned};
  experiment.stream_kernels = false;
  return experiment;
}

TEST(StackSpread, IsWhatTheOtherSoftwareGains) {
  Experiment experiment = experiment_on(machine_with_stacks());
  const StudyTotal total = run_study_with_spread(experiment, {}).totals.back();
  ASSERT_EQ(total.beside.size(), 2U) << "mixed has other kernels";
  EXPECT_EQ(total.beside[0].stack, "lib1_search");
  EXPECT_EQ(total.beside[1].stack, kBestStack);
  for (const StackGain& one : total.beside) {
    experiment.stack = one.stack;
    const StudyTotal alone = run_study(experiment, {}).totals.back();
    EXPECT_EQ(one.speedup, alone.training.speedup) << one.stack;
    EXPECT_EQ(one.time_us, alone.training.time_us) << one.stack;
  }
  EXPECT_NE(total.beside[0].speedup, total.training.speedup) << "the rule's dense kernel is slower";
}

TEST(StackSpread, IsNothingOnAMachineWithoutStacks) {
  const Experiment experiment = experiment_on(test::tiny_machine());
  EXPECT_TRUE(run_study_with_spread(experiment, {}).totals.back().beside.empty());
}

TEST(StackSpread, IsNothingWhereAKernelIsNamed) {
  Experiment experiment = experiment_on(machine_with_stacks());
  experiment.kernel = "dense";
  experiment.schemes.resize(1);
  EXPECT_TRUE(run_study_with_spread(experiment, {}).totals.back().beside.empty());
}

TEST(FrameworkStacks, AreTheFirstThatTheMachineHas) {
  Experiment experiment = experiment_on(machine_with_stacks());
  const auto stack = [&](std::vector<std::string> names) {
    experiment.framework.stacks = std::move(names);
    return policy_of(experiment, experiment.machines.front().config).stack;
  };
  EXPECT_EQ(stack({}), "lib1_rule");
  EXPECT_EQ(stack({"other", "lib1_search", "lib1_rule"}), "lib1_search");
  EXPECT_EQ(stack({"other"}), "lib1_rule");
  experiment.stack = "mixed";
  EXPECT_EQ(stack({"lib1_search"}), "mixed") << "an experiment's own choice goes first";
}

bool is_search(const std::string& choice) {
  return choice == kBySearch;
}

/// gemm, explain and sweep take a machine's first stack, experiments the framework's: one answer.
TEST(ShippedStacks, TheFirstIsTheDefaultFrameworksAndBothSidesAreChosenAlike) {
  const Framework framework = load_framework(kDefaultFramework);
  for (const auto& [name, description] : list_configs(ConfigKind::machine)) {
    const MachineConfig machine = load_machine(name).config;
    EXPECT_EQ(machine.preferred_stack(framework.stacks), stack_named(machine, "").name) << name;
    for (const StackConfig& stack : machine.stacks) {
      const bool may_differ = stack.name == "slides_2020";
      EXPECT_EQ(is_search(stack.dense_choice) != is_search(stack.sparse_choice), may_differ)
          << name << " " << stack.name;
      EXPECT_EQ(stack.name.ends_with("_search"), is_search(stack.dense_choice)) << stack.name;
      EXPECT_EQ(stack.name.ends_with("_rule"), !is_search(stack.dense_choice) && !may_differ)
          << stack.name;
    }
  }
}

}  // namespace
}  // namespace stcsim
