#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/property/gain_causes.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

struct Shape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

constexpr std::array<Shape, 7> kShapes{{{4096, 4096, 4096},
                                        {1024, 8192, 1024},
                                        {3072, 768, 16384},
                                        {768, 4096, 4096},
                                        {4096, 4096, 1024},
                                        {2048, 2048, 2048},
                                        {128, 128, 8192}}};

struct MachineCase {
  std::string machine;
  Pattern pattern;
};

class ExplainGains : public testing::TestWithParam<MachineCase> {};

/// 42 GEMMs on six machines.
TEST_P(ExplainGains, NamesWhatRaisesThemMost) {
  const MachineConfig machine = load_machine(GetParam().machine).config;
  for (const Shape& shape : kShapes) {
    ExplainQuestion question;
    question.dense = test::make_problem(shape.m, shape.n, shape.k);
    question.problem = question.dense;
    question.problem.a_pattern = GetParam().pattern;
    test::expect_cause_of_gain(machine, question);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, ExplainGains,
    testing::Values(MachineCase{"a100", {2, 4}}, MachineCase{"h100_sxm", {2, 4}},
                    MachineCase{"rtx3090", {2, 4}}, MachineCase{"rtx4090", {2, 4}},
                    MachineCase{"a100_nm8", {1, 8}}, MachineCase{"stc_1024", {1, 4}}),
    [](const auto& one) { return one.param.machine; });

}  // namespace
}  // namespace stcsim
