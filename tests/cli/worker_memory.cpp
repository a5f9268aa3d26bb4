#include "tests/cli/worker_memory.hpp"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {

double peak_mib_of_children() {
  constexpr double kKibPerMib = 1024;
  rusage used{};
  (void)getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_maxrss) / kKibPerMib;
}

void run_networks(const std::string& networks, const std::string& framework) {
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  const ProgramResult result =
      run_stcsim({"run", "--network", networks, "--arch", "a100", "--framework", framework,
                  "--schemes", "dense,asp", "--set", "kernel_candidates=1", "--no-spread"},
                 options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

/// Eighty blocks of 8192 features: 70 billion parameters, whose update reads and writes 2 TB.
void expect_small_worker(const std::string& framework) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "large.yaml";
  write_text(file, R"(name: large
batch: 1
optimizer: adam
other_parameters: 4194304000
layers:
  - {name: qkv, type: linear, role: attention, in_features: 8192, out_features: 10240, tokens: 2048, repeat: 80}
  - {name: qk, type: bmm, role: attention, m: 2048, n: 2048, k: 128, count: 64, repeat: 80, after: [softmax]}
  - {name: av, type: bmm, role: attention, m: 128, n: 2048, k: 2048, count: 64, repeat: 80}
  - {name: proj, type: linear, role: attention, in_features: 8192, out_features: 8192, tokens: 2048, repeat: 80, after: [residual_add, layer_norm]}
  - {name: gate_up, type: linear, role: ffn, in_features: 8192, out_features: 57344, tokens: 2048, repeat: 80, after: [gelu]}
  - {name: down, type: linear, role: ffn, in_features: 28672, out_features: 8192, tokens: 2048, repeat: 80, after: [residual_add, layer_norm]}
)");
  run_networks(file.string(), framework);
  EXPECT_LT(peak_mib_of_children(), 200);
}

void expect_small_workers_of(const std::vector<std::string>& networks) {
  run_networks(fmt::format("{}", fmt::join(networks, ",")), "pytorch_eager");
  EXPECT_LT(peak_mib_of_children(), 300);
}

}  // namespace stcsim
