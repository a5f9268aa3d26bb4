#pragma GCC diagnostic ignored "-Wconversion"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <gtest/gtest.h>
#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_estimate.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "tests/support/random_machine.hpp"
namespace stcsim::test {
TEST(ZzDump, Dump) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", 1);
  Dice dice(std::stoull(std::getenv("DSEED")));
  MachineRunner runner(load_machine(std::getenv("DARCH")).config);
  const int count = std::atoi(std::getenv("DCASES"));
  const double keep = std::atof(std::getenv("DKEEP"));
  for (int index = 0; index < count; ++index) {
    const auto extent = [&] {
      const bool big = std::getenv("DBIG") != nullptr; const std::int64_t unit = big ? dice.one_of({512, 768, 1000}) : dice.one_of({64, 64, 128, 196, 256, 768});
      return std::min<std::int64_t>(4096, unit * dice.one_of({1, 1, 2, 3, 4, 8, 16}));
    };
    const std::vector<Pattern> patterns{kDense, {2, 4}, {1, 4}, {1, 8}, {2, 8}, {4, 16}, {4, 32}};
    GemmProblem p;
    do { p.m = extent(); p.n = extent(); p.k = extent() + dice.one_of({0, 0, 0, 0, 9}); } while (p.macs() > 1'000'000'000LL * (std::getenv("DBIG") != nullptr ? 70 : index % 4 == 0 ? 20 : 1));
    p.a_pattern = patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))];
    std::vector<Pattern> hardware = sparsity_support(runner.machine(), p.dtype, p.a_pattern).patterns;
    hardware.push_back(kDense);
    auto all = kernel_candidates(runner.machine(), p, hardware, {"auto", 1000000});
    for (auto& one : all) {
      if (one.estimated_cycles > keep * all.front().estimated_cycles && &one != &all.front()) continue;
      std::int64_t c = runner.run(one.launch).cycles.count(), red = 0; double er = 0;
      if (one.launch.splits > 1) { auto l = reduction_launch(runner.machine(), p, one.launch.splits); red = runner.run(l).cycles.count(); er = estimate_cycles(runner.machine(), l); }
      std::printf("D,%d,%ld,%ld,%ld,%s,%s,%s,k%ld,x%ld,cps%ld,fb%ld,gps%ld,w%ld,%.0f,%ld,%.0f,%ld\n", index, p.m, p.n, p.k, p.a_pattern.to_string().c_str(), one.kernel.hardware.to_string().c_str(), one.kernel.config.name.c_str(), one.kernel.instruction.k, one.launch.splits, one.launch.ctas_per_sm, one.launch.warp.fragment_buffers, one.launch.warp.groups_per_step, one.launch.ctas(), one.estimated_cycles - er, c, er, red);
    }
  }
}
}
