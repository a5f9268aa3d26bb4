#include "pruning/random_stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using testing::ElementsAre;

// Known answers that come with the authors' Random123 library for philox4x32, 10 rounds.
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_THAT(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
  EXPECT_THAT(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U));
}

TEST(RandomStream, WordsAreThoseOfTheCountersInOrder) {
  const RandomStream stream(0x0123456789abcdef, Purpose::pruning, 7);
  const std::uint64_t block = (std::uint64_t{3} << 32) + 5;
  const auto words =
      philox({5, 3, 7, static_cast<std::uint32_t>(Purpose::pruning)}, {0x89abcdef, 0x01234567});
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(stream.word(4 * block + i), words.at(i));
}

TEST(RandomStream, APartIsTheSameHoweverItIsCut) {
  const RandomStream stream(42, Purpose::input);
  std::vector<float> whole(1000);
  stream.fill(0, whole);
  for (const std::size_t begin : {0U, 1U, 2U, 3U, 4U, 127U, 128U, 129U, 500U}) {
    std::vector<float> part(311);
    stream.fill(begin, part);
    EXPECT_TRUE(
        std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)))
        << begin;
  }
}

TEST(RandomStream, FilledNumbersAreTheWordsUpperBits) {
  const RandomStream stream(42, Purpose::pruning, 3);
  std::vector<float> numbers(300);
  stream.fill(0, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], (static_cast<double>(stream.word(i) >> 9) + 0.5) / (1 << 23));
    EXPECT_GT(numbers[i], 0.0F);
    EXPECT_LT(numbers[i], 1.0F);
  }
}

TEST(RandomStream, SeedDrawAndPurposeMakeADifference) {
  const RandomStream stream(1, Purpose::pruning, 0);
  EXPECT_NE(stream.word(0), RandomStream(2, Purpose::pruning, 0).word(0));
  EXPECT_NE(stream.word(0), RandomStream(1, Purpose::input, 0).word(0));
  EXPECT_NE(stream.word(0), RandomStream(1, Purpose::pruning, 1).word(0));
}

TEST(RandomSequence, ChoosesAllNumbersBelowALimitAlike) {
  RandomSequence random{RandomStream(5, Purpose::permutation)};
  constexpr int kDraws = 70'000;
  std::array<int, 7> counts{};
  for (int draw = 0; draw < kDraws; ++draw) ++counts.at(static_cast<std::size_t>(random.below(7)));
  const double deviation = std::sqrt(kDraws * (1.0 / 7) * (6.0 / 7));
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 7.0, 4 * deviation);
}

using stcsim::test::message_of;
using test::base_seed;
using test::seed_text;
using ::testing::HasSubstr;

TEST(GeneratedInput, IsWhatItIsCalled) {
  SCOPED_TRACE(seed_text());
  const Tensor normal = generated_input("normal:1000x1001", base_seed());
  double sum = 0;
  double square = 0;
  for (const double value : normal.values) {
    sum += value;
    square += value * value;
  }
  const auto count = static_cast<double>(normal.values.size());
  EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(count));
  EXPECT_NEAR(square / count, 1, 4 * std::sqrt(2 / count));
  const Tensor uniform = generated_input("uniform:3x5x7", base_seed());
  EXPECT_EQ(uniform.shape, (std::vector<std::int64_t>{3, 5, 7}));
  EXPECT_TRUE(std::ranges::all_of(uniform.values, [](float x) { return x > -1 && x < 1; }));
  EXPECT_EQ(generated_input("constant:4", 1).values, std::vector<float>(4, 1.0F));
}

TEST(GeneratedInput, RefusesWhatItCannotGenerate) {
  for (const char* const text : {"normal:", "normal:4x", "normal:0x4", "normal:4,4", "cauchy:4x4",
                                 "normal:99999x99999", "normal:4 x4"}) {
    EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(generated_input(text, 1)); }),
                HasSubstr("must be normal:SHAPE"))
        << text;
  }
  EXPECT_TRUE(is_generated_input("normal:4"));
  EXPECT_FALSE(is_generated_input("./normal:4"));
  EXPECT_FALSE(is_generated_input("x.npy"));
}

}  // namespace
}  // namespace stcsim::pruning
