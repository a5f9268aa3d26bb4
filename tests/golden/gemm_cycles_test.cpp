#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/golden/gemm_cases.hpp"
#include "tests/golden/golden_table.hpp"
#include "tests/support/launch_check.hpp"

namespace stcsim {
namespace {

const std::filesystem::path kGoldenFile = STCSIM_SOURCE_DIR "/tests/golden/gemm_cycles.csv";
constexpr std::size_t kKeys = 8;

/// All machines of configs/arch, elaborated: SystemC wants all of them before the first run.
std::vector<std::unique_ptr<MachineRunner>> shipped_machines() {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) {
    runners.push_back(std::make_unique<MachineRunner>(load_machine(entry.name).config));
  }
  return runners;
}

test::GoldenTable empty_table() {
  return {
      kKeys,
      {"machine", "m", "n", "k", "batch", "dtype", "pattern", "policy", "kernel", "split_k",
       "cycles", "mma_instructions", "tensor_core_busy", "shared_memory_read_bytes",
       "l2_read_bytes", "l2_hit_bytes", "dram_read_bytes", "dram_write_bytes", "metadata_bytes"},
      {}};
}

test::GoldenTable::Row row_of(const std::string& machine, const test::GemmCase& one,
                              const LaunchResult& result) {
  const GemmProblem& problem = one.problem;
  test::GoldenTable::Row row{machine,
                             std::to_string(problem.m),
                             std::to_string(problem.n),
                             std::to_string(problem.k),
                             std::to_string(problem.batch_count),
                             std::string(to_string(problem.dtype)),
                             problem.a_pattern.to_string(),
                             one.kernel,
                             result.kernel.name};
  for (const std::int64_t value :
       {result.kernel.split_k, result.cycles, result.mma_instructions,
        test::bucket_of(result, "tensor_core", "busy"), result.count("shared_memory_read_bytes"),
        result.count("l2_read_bytes"), result.count("l2_hit_bytes"),
        result.count("dram_read_bytes"), result.count("dram_write_bytes"),
        result.count("metadata_bytes")}) {
    row.push_back(std::to_string(value));
  }
  return row;
}

test::GoldenTable simulate() {
  test::GoldenTable table = empty_table();
  const auto machines = shipped_machines();
  for (const auto& runner : machines) {
    const MachineConfig& machine = runner->machine();
    for (const test::GemmCase& one : test::golden_cases(machine)) {
      const LaunchResult result = run_gemm(*runner, one.problem, {one.kernel, 2}).result;
      table.rows.push_back(row_of(machine.name, one, result));
    }
  }
  return table;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// STCSIM_UPDATE_GOLDEN=1 rewrites the golden file from what the simulator says now; not in CI.
TEST(Golden, GemmCyclesAreUnchanged) {
  const bool update = is_set("STCSIM_UPDATE_GOLDEN");
  ASSERT_FALSE(update && is_set("CI")) << "golden numbers are not updated in CI";
  const test::GoldenTable now = simulate();
  if (update) {
    write_table(kGoldenFile, now);
    GTEST_SKIP() << "rewrote " << kGoldenFile;
  }
  for (const std::string& difference : differences(test::read_table(kGoldenFile, kKeys), now)) {
    ADD_FAILURE() << difference;
  }
}

}  // namespace
}  // namespace stcsim
