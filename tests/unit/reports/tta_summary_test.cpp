#include "reports/tta/tta_summary.hpp"

#include <gtest/gtest.h>

#include "reports/tta/tta_evidence.hpp"

namespace stcsim {
namespace {

TtaResult result_of(const std::string& machine, const std::string& scheme) {
  TtaResult result;
  result.machine = machine;
  result.scheme = scheme;
  return result;
}

/// Curves are the same on every machine, and so are their final values; hours are not.
TEST(CountOfTests, FinalValuesAreComparedOnce) {
  TtaSummary summary;
  for (const char* const machine : {"a100", "h100"}) {
    for (const char* const scheme : {"sdgp", "fst"}) {
      summary.results.push_back(result_of(machine, scheme));
      summary.results.back().final_difference = curves::Difference{};
    }
  }
  EXPECT_EQ(count_of_tests(summary), 2U);
  for (TtaResult& result : summary.results) result.compared.difference = curves::Difference{};
  EXPECT_EQ(count_of_tests(summary), 2U + 4U);
  summary.orderings.resize(1);
  EXPECT_EQ(count_of_tests(summary), 2U + 4U + 1U);
}

/// One run ends early at 90, the other at 50 later: the mean curve ends at 50, the final values
/// have a mean of 70.
TEST(Front, HasASchemeByTheMeanOfItsFinalValues) {
  TtaCurves uneven;
  uneven.figures.final_value.mean = 70;
  TtaCurves even;
  even.figures.final_value.mean = 60;
  TtaSummary summary;
  summary.results.push_back(result_of("a100", "uneven"));
  summary.results[0].curves = &uneven;
  summary.results[0].points = {{1, 55, 0}, {2, 50, 0}};
  summary.results.push_back(result_of("a100", "even"));
  summary.results[1].curves = &even;
  summary.results[1].points = {{2, 60, 1}};
  add_front(summary, "a100", 0);
  EXPECT_EQ(summary.results[0].is_on_front, true);
  EXPECT_EQ(summary.results[1].is_on_front, true);
  uneven.figures.final_value.mean = 59;
  add_front(summary, "a100", 0);
  EXPECT_EQ(summary.results[0].is_on_front, false);
}

}  // namespace
}  // namespace stcsim
