#include "tests/cli/gemm_agreement.hpp"

#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/gemm/gemm_options.hpp"
#include "cli/gemm/gemm_simulation.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {
namespace {

Arguments parsed(const std::string& command) {
  std::istringstream words(command);
  std::vector<std::string> given{std::istream_iterator<std::string>(words), {}};
  given.erase(given.begin(), given.begin() + 2);  // stcsim gemm
  Options options = options_of<GemmTable>();
  const Options how = options_of<SimulationTable>();
  options.insert(options.end(), how.begin(), how.end());
  return {options, {}, given};
}

}  // namespace

void expect_that_gemm_says_the_same(const nlohmann::json& rows, std::size_t calls_expected,
                                    std::size_t one_in) {
  std::map<std::string, std::unique_ptr<MachineRunner>> runners;
  std::vector<std::pair<const nlohmann::json*, GemmOptions>> calls;
  for (const auto& row : rows) {
    if (row["command"] == "") continue;
    calls.emplace_back(&row, read_gemm_options(parsed(row["command"])));
    auto& runner = runners[calls.back().second.machine.name];
    if (runner == nullptr) runner = std::make_unique<MachineRunner>(calls.back().second.machine);
  }
  EXPECT_EQ(calls.size(), calls_expected);
  for (std::size_t at = 0; at < calls.size(); at += one_in) {
    const auto& [row, options] = calls[at];
    SCOPED_TRACE((*row)["command"]);
    const GemmReport report = simulate_gemm(options, *runners.at(options.machine.name));
    const double time = main_rates(report).time_us;
    if (options.problem.a_pattern.is_dense()) {
      EXPECT_EQ((*row)["simulated_dense_us"], time);
      continue;
    }
    const auto expect = [&](const char* key, double value) {
      if ((*row)[key].is_null()) return;
      EXPECT_EQ((*row)[key], value) << key;
    };
    expect("simulated_sparse_us", time);
    expect("simulated_dense_us", dense_rates(report)->time_us);
    expect("simulated_speedup", *gemm_speedup(report));
  }
}

}  // namespace stcsim
