#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "Vdecoder_four_of_eight.h"
#include "Vdecoder_one_of_eight.h"
#include "Vdecoder_ordered_two_of_four.h"
#include "Vdecoder_two_of_four.h"
#include "Vselector_butterfly_four_of_eight.h"
#include "Vselector_butterfly_two_of_four.h"
#include "Vselector_four_of_eight.h"
#include "Vselector_one_of_eight.h"
#include "Vselector_ordered_two_of_four.h"
#include "Vselector_two_of_four.h"
#include "tests/property/selection_case.hpp"
#include "tests/rtl/verilated_circuit.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// Random cases of a pattern: with the circuit in place of the built-in decoder and selector the
/// core takes the same cycles, in the same stages, and C is right.
template <class Circuit>
void expect_equal(Circuit& circuit, Pattern pattern, const char* coding, std::uint64_t cases) {
  const std::uint64_t first = seed_or(77);
  std::vector<SelectionCase> drawn;  // machines have to be built before the first run
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    drawn.push_back(draw_selection_case(seed, SelectorKind{pattern, coding}));
  }
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  for (SelectionCase& one : drawn) {
    SCOPED_TRACE(one.text);
    const auto run = [&] {
      return run_gemm_with_values(*one.runner, one.problem, policy, {}, one.operands);
    };
    const FunctionalRun built_in = run();
    one.operands.circuit = &circuit;
    const FunctionalRun verilated = run();
    EXPECT_EQ(verilated.run.result, built_in.run.result);
    EXPECT_EQ(verilated.check.mismatches, 0) << verilated.check.first_mismatch;
  }
  EXPECT_GT(circuit.selections(), 0);
}

constexpr std::uint64_t kCases = 13;  // of each of four circuits

TEST(Verilated, CrossbarOfTwoOfFour) {
  VerilatedCircuit<Vselector_two_of_four, Vdecoder_two_of_four> circuit({2, 2, 4, false});
  expect_equal(circuit, {2, 4}, "index", kCases);
}

/// Each slot sees three of four places; the places come from a mask.
TEST(Verilated, OrderedTwoOfFour) {
  VerilatedCircuit<Vselector_ordered_two_of_four, Vdecoder_ordered_two_of_four> circuit(
      {2, 2, 4, true});
  expect_equal(circuit, {2, 4}, "bitmask", kCases);
}

TEST(Verilated, CrossbarOfOneOfEight) {
  VerilatedCircuit<Vselector_one_of_eight, Vdecoder_one_of_eight> circuit({3, 3, 3, false});
  expect_equal(circuit, {1, 8}, "index", kCases);
}

/// Every setting of four middle wires and the two ranks behind them, followed from slot to place.
TEST(Verilated, ButterflyOfFourOfEightCrossesRankByRank) {
  constexpr std::int64_t kBits = 16;
  Vselector_butterfly_four_of_eight selector;
  for (std::int64_t at = 0; at < 8; ++at) {
    put(selector.b, at * kBits, kBits, static_cast<std::uint32_t>(100 + at));
  }
  for (std::uint32_t settings = 0; settings < 1U << 12; ++settings) {
    put(selector.places, 0, 12, settings);
    selector.eval();
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
      // Backwards from the slot: the second rank's bit of it, then the first rank's of that wire.
      const std::uint32_t middle = slot ^ (settings >> (8 + slot) & 1U) << 1U;
      const std::uint32_t wire = middle ^ (settings >> (4 + middle) & 1U);
      EXPECT_EQ(get(selector.selected, slot * kBits, kBits),
                100 + wire + 4 * (settings >> wire & 1U))
          << settings << " slot " << slot;
    }
  }
}

/// Any two places of unequal parity, in either order.
TEST(Verilated, ButterflyOfTwoOfFourSelectsWhatDoesNotMeet) {
  Vselector_butterfly_two_of_four selector;
  for (std::uint32_t at = 0; at < 4; ++at) put(selector.b, at * 16, 16, 7 + at);
  for (std::uint32_t first = 0; first < 4; ++first) {
    for (std::uint32_t second = (first + 1) % 2; second < 4; second += 2) {
      const bool crosses = first % 2 == 1;
      const std::uint32_t even = crosses ? second : first;
      const std::uint32_t odd = crosses ? first : second;
      put(selector.places, 0, 4, even / 2 + odd / 2 * 2 + (crosses ? 12U : 0U));
      selector.eval();
      EXPECT_EQ(get(selector.selected, 0, 16), 7 + first);
      EXPECT_EQ(get(selector.selected, 16, 16), 7 + second);
    }
  }
}

TEST(Verilated, OrderedFourOfEight) {
  VerilatedCircuit<Vselector_four_of_eight, Vdecoder_four_of_eight> circuit({3, 3, 8, true});
  expect_equal(circuit, {4, 8}, "bitmask", kCases);
}

}  // namespace
}  // namespace stcsim::test
