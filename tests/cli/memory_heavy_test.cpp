// What a process takes of the computer's memory, and what it says where there is too little. Other
// frameworks, and every network: memory_soak_test.cpp.
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
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

}  // namespace
}  // namespace stcsim
