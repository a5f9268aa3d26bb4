#include "cli/gemm/operand_file.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "pruning/npy.hpp"

namespace stcsim {
namespace {

std::int64_t product_from(const std::vector<std::int64_t>& shape, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis) product *= shape[axis];
  return product;
}

}  // namespace

PlainMatrix operand_file(const std::string& file, const GemmProblem& problem, Operand operand) {
  const bool is_a = operand == Operand::a;
  const std::int64_t rows = is_a ? problem.m : problem.k;
  const std::int64_t columns = is_a ? problem.k : problem.n;
  pruning::Tensor tensor = pruning::read_npy_numbers(file).numbers;
  const std::vector<std::int64_t>& shape = tensor.shape;
  const std::size_t of_rows = problem.batch_count > 1 ? 1 : 0;  // their axis
  const bool fits = shape.size() > of_rows + 1 && shape[of_rows] == rows &&
                    product_from(shape, of_rows + 1) == columns &&
                    (of_rows == 0 || shape.front() == problem.batch_count);
  if (!fits) {
    const std::string batch = of_rows == 0 ? "" : fmt::format("{} x ", problem.batch_count);
    throw ConfigError(fmt::format("{}: error: is {}, operand {} has to be {}{} = {}{} x {}", file,
                                  pruning::shape_text(shape), is_a ? "A" : "B",
                                  of_rows == 0 ? "" : "batch x ", is_a ? "M x K" : "K x N", batch,
                                  rows, columns));
  }
  PlainMatrix matrix;
  matrix.batch_count = problem.batch_count;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.values = std::move(tensor.values);
  return matrix;
}

std::string sha256_of(const PlainMatrix& matrix) {
  const auto* const bytes = reinterpret_cast<const char*>(matrix.values.data());
  return sha256_hex(std::string_view(bytes, matrix.values.size() * sizeof(float)));
}

}  // namespace stcsim
