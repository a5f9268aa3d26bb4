// What a process takes of the computer's memory, and what it says where there is too little. Other
// frameworks, and every network: memory_soak_test.cpp.
#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/cli/worker_memory.hpp"

namespace stcsim {
namespace {

TEST(WorkerMemory, AStepOf70BillionParametersTakesUnder200MiB) {
  expect_small_worker("pytorch_eager");
}

TEST(Memory, TooLittleOfItIsSaidInWords) {
  const ProgramResult result =
      run_program("/bin/bash", {"-c", "ulimit -v 60000; exec " + stcsim_program().string() +
                                          " gemm --arch a100 --m 65521 --n 65521 --k 65521"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "stcsim gemm: error: out of memory\n");
}

/// The largest process while so many different lines are answered.
double peak_mib_of_lines(int count) {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "lines.jsonl").string();
  std::string lines;
  for (int at = 0; at < count; ++at) {
    lines += fmt::format(
        "{{\"arch\": \"a100\", \"m\": {}, \"n\": {}, \"k\": {}, \"pattern\": \"2:4\"}}\n",
        16 * (1 + at % 20), 16 * (1 + at / 20 % 20), 32 * (1 + at / 400));
  }
  write_text(file, lines);
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  const ProgramResult result = run_stcsim({"eval", file, "--figures", "speedup"}, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(std::ranges::count(result.out, '\n'), count);
  EXPECT_EQ(result.out.find("error"), std::string::npos);
  return peak_mib_of_children();
}

/// What a process keeps of the first few hundred, 2 MiB, does not grow afterwards.
TEST(Eval, ThreeThousandLinesTakeTheMemoryOfAThousand) {
  const double of_few = peak_mib_of_lines(1'000);
  EXPECT_LT(peak_mib_of_lines(3'000), of_few + 2);
}

}  // namespace
}  // namespace stcsim
