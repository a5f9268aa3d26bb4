#include "pruning/matrix.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using stcsim::test::message_of;
using test::matrix_of;
using ::testing::ElementsAre;

/// 0, 1, 2, ...
Tensor counting(std::vector<std::int64_t> shape) {
  Tensor tensor{std::move(shape), {}};
  tensor.values.resize(static_cast<std::size_t>(element_count(tensor.shape)));
  std::iota(tensor.values.begin(), tensor.values.end(), 0.0F);
  return tensor;
}

TEST(Planes, OfAMatrixAlongItsLastAxisAreTheMatrix) {
  const std::vector<Matrix> planes = to_planes(counting({2, 3}), {1, {}});
  ASSERT_EQ(planes.size(), 1U);
  EXPECT_EQ(planes[0].rows, 2);
  EXPECT_EQ(planes[0].columns, 3);
  EXPECT_THAT(planes[0].values, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Planes, AlongTheFirstAxisAreTransposed) {
  const std::vector<Matrix> planes = to_planes(counting({2, 3}), {0, {}});
  EXPECT_EQ(planes[0].rows, 3);
  EXPECT_THAT(planes[0].values, ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Planes, WithoutASecondAxisHaveAllOthersAsRows) {
  const std::vector<Matrix> planes = to_planes(counting({2, 2, 3}), {1, {}});
  EXPECT_EQ(planes[0].rows, 6);
  EXPECT_THAT(planes[0].values, ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
}

TEST(Planes, WithASecondAxisAreOnePerIndexOfTheRest) {
  const std::vector<Matrix> planes = to_planes(counting({2, 2, 3}), {1, 0});
  ASSERT_EQ(planes.size(), 3U);
  EXPECT_THAT(planes[0].values, ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(planes[2].values, ElementsAre(2, 5, 8, 11));
}

TEST(Planes, GoBackToTheTensor) {
  const Tensor tensor = counting({2, 3, 4, 5});
  for (std::size_t columns = 0; columns < 4; ++columns) {
    const Axes one{columns, {}};
    EXPECT_EQ(from_planes(to_planes(tensor, one), tensor.shape, one).values, tensor.values);
    for (std::size_t rows = 0; rows < 4; ++rows) {
      if (rows == columns) continue;
      const Axes two{columns, rows};
      EXPECT_EQ(from_planes(to_planes(tensor, two), tensor.shape, two).values, tensor.values);
    }
  }
}

TEST(MatrixTest, TransposesEverySize) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 70}, {33, 31}, {64, 32}}) {
    const Matrix in = test::normal_matrix(rows, columns, 1);
    const Matrix out = transposed(in);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        ASSERT_EQ(out.at(column, row), in.at(row, column));
      }
    }
  }
}

TEST(MatrixTest, CountsViolations) {
  const Matrix matrix = matrix_of(2, 6,
                                  {1, 2, 3, 0, 1, 1,  //
                                   0, 0, 0, 0, 1, -1});
  EXPECT_EQ(count_violations(matrix, {2, 4}), 1);
  EXPECT_EQ(count_violations(matrix, {1, 4}), 3);
  EXPECT_EQ(count_violations(matrix, {3, 4}), 0);
  EXPECT_EQ(groups_per_row(matrix, 4), 2);
  EXPECT_EQ(count_violations(matrix, {2, 4, 2}), 1);
  const Matrix pairs = matrix_of(2, 7,
                                 {1, 0, 0, 1, 0, 0, 1,  //
                                  0, 0, 1, 1, 1, 1, 0});
  EXPECT_EQ(count_violations(pairs, {4, 8, 2}), 1);
  EXPECT_EQ(count_violations(pairs, {4, 8}), 0);
}

TEST(TensorTest, NamesPositionsAndShapes) {
  EXPECT_EQ(position_text({2, 3, 4}, 0), "[0, 0, 0]");
  EXPECT_EQ(position_text({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_EQ(shape_text({2, 3, 4}), "2x3x4");
}

TEST(TensorTest, MustHaveElementsAndAsManyAsItsShapeSays) {
  EXPECT_THAT(message_of<ConfigError>([] {
                validate({{}, {1}});
              }),
              ::testing::HasSubstr("no axis"));
  EXPECT_THAT(message_of<ConfigError>([] {
                validate({{2, 0}, {}});
              }),
              ::testing::HasSubstr("2x0, every axis must have at least one element"));
  EXPECT_THAT(message_of<ConfigError>([] {
                validate({{2, 2}, {1, 2, 3}});
              }),
              ::testing::HasSubstr("3 values, its shape 2x2 asks for 4"));
}

}  // namespace
}  // namespace stcsim::pruning
