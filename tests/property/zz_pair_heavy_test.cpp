#pragma GCC diagnostic ignored "-Wconversion"
#define expect_hardware_never_hurts expect_hardware_never_hurts_zz
#include "tests/property/hardware_case.cpp"
#include "sim/config/machine_json.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
namespace stcsim::test {
TEST(ZzPair, Show) {
  const auto seed = std::stoull(std::getenv("PSEED"));
  const auto want = std::stoull(std::getenv("PPAIR"));
  const std::string wanted = std::getenv("PGEMM");
  Dice dice(seed);
  std::vector<Pair> all;
  for (int index = 0; index < 50; ++index) all.push_back(random_pair(dice));
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (std::int64_t gemm = 0; gemm < kGemmsPerPair; ++gemm) {
      const GemmProblem p = problem_for(dice);
      if (index != want || (std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k)) != wanted) continue;
      const Fastest b = fastest_of_all(*all[index].base, p);
      const Fastest w = fastest_of_all(*all[index].wider, p);
      std::printf("%s: %s %s as %s: %ld -> %s as %s %ld\n", all[index].what.c_str(), to_string(p.dtype).data(), b.kernel.c_str(), b.hardware.to_string().c_str(), b.cycles, w.kernel.c_str(), w.hardware.to_string().c_str(), w.cycles);
      std::printf("%s\n", to_json(all[index].base->machine()).at("accelerator").dump().c_str());
      for (auto* runner : {all[index].base.get(), all[index].wider.get()}) {
        for (const auto& one : kernel_candidates(runner->machine(), p, {b.hardware}, {"auto", 1000000})) {
          if (one.kernel.config.name + " k" + std::to_string(one.kernel.instruction.k) + " x" + std::to_string(one.launch.splits) != b.kernel) continue;
          const auto s = runner->run(one.launch);
          const auto t = to_result(s).traffic;
          std::printf("cps %ld stages %ld steps %ld ctas %ld: %ld; l2 read %ld hit %ld dram read %ld write %ld\n", one.launch.ctas_per_sm, one.launch.stages, one.launch.k_steps, one.launch.ctas(), s.cycles.count(), t.l2_read_bytes, t.l2_hit_bytes, t.dram_read_bytes, t.dram_write_bytes);
          for (const auto& u : s.units) { std::printf("   %s:", u.unit.c_str()); for (const auto& [n, c] : u.buckets) std::printf(" %s %ld", n.c_str(), c.count()); std::printf("\n"); }
        }
      }
    }
  }
}
}
