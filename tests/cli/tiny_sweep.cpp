#include "tests/cli/tiny_sweep.hpp"

#include <chrono>
#include <csignal>

#include <gtest/gtest.h>

#include "tests/cli/tiny_experiment.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {

TinySweep::TinySweep(const std::string& gemms) {
  write_text(path("small.yaml"), "extends: a100_nm\nname: small\naccelerator: {num_sms: 4}\n");
  write_text(space(), text(gemms));
}

std::string TinySweep::text(const std::string& gemms) {
  return "description: small\nmachines: [./small.yaml]\nkernel_candidates: 1\nsparse_where: "
         "always\ngemms: " +
         gemms +
         "\naxes:\n"
         "  gemm.pattern: [dense, \"2:4\"]\n"
         "  machine.accelerator.num_sms: {from: 1, to: 3, step: 1}\n"
         "  machine.accelerator.sm.operand_selector.b_bytes_per_clk: [64, 128]\n";
}

std::string TinySweep::path(const std::string& name) const {
  return (directory_.path() / name).string();
}

ProgramResult TinySweep::run(const std::string& action, const std::vector<std::string>& more,
                             const ProgramOptions& options) const {
  std::vector<std::string> arguments{"sweep", action, space()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--results", results()});
  return run_stcsim(arguments, options);
}

std::string run_killed(int times, int jobs, std::uint64_t number) {
  const std::uint64_t seed = test::seed_or(number);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  const TinySweep sweep(kManyGemms);
  const std::vector<std::string> workers{"--jobs", std::to_string(jobs)};
  for (int time = 0; time < times; ++time) {
    ProgramOptions options;
    options.signal = SIGKILL;
    options.signal_after = std::chrono::milliseconds(dice.between(1, 250));
    const ProgramResult killed = sweep.run("run", workers, options);
    EXPECT_TRUE(killed.exit_code == 128 + SIGKILL || killed.exit_code == 0) << killed.err;
  }
  const ProgramResult last = sweep.run("run", workers);
  EXPECT_EQ(last.err, "");
  EXPECT_EQ(last.exit_code, 0);
  return sweep.run("export").out;
}

}  // namespace stcsim
