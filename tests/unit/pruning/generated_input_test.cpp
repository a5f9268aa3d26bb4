#include "pruning/generated_input.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

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
