#include <string>
#include <tuple>

#include "tests/cli/small_memory.hpp"

namespace stcsim {
namespace {

class SmallMemoryHeavy : public testing::TestWithParam<std::tuple<int, int>> {};

/// Machines whose file changes nothing but the capacity, and the number of SMs.
TEST_P(SmallMemoryHeavy, AnswersGemmExplainAndAStep) {
  const auto [kilobytes, sms] = GetParam();
  const SmallMemory machine(kilobytes, sms);
  for (const char* const command : {"gemm", "explain"}) {
    expect_answer(machine.run(command, {"512", "512", "1024", "--sparsity", "2:4"}));
  }
  const ProgramResult step =
      machine.run("run", {"--network", "resnet18", "--schemes", "asp", "--jobs", "auto"});
  expect_answer(step);
  EXPECT_THAT(step.out, testing::HasSubstr("resnet18 on small"));
}
INSTANTIATE_TEST_SUITE_P(All, SmallMemoryHeavy,
                         testing::Combine(testing::Values(32, 48, 64, 96),
                                          testing::Values(1, 4, 16)),
                         [](const auto& machine) {
                           return std::to_string(std::get<0>(machine.param)) + "KBytes" +
                                  std::to_string(std::get<1>(machine.param)) + "Sms";
                         });

}  // namespace
}  // namespace stcsim
