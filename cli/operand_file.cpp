#include "cli/operand_file.hpp"

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

PlainMatrix operand_file(const std::string& file, const GemmProblem& problem) {
  pruning::Tensor tensor = pruning::read_npy_numbers(file).numbers;
  const std::vector<std::int64_t>& shape = tensor.shape;
  const std::size_t rows = problem.batch_count > 1 ? 1 : 0;  // its axis
  const bool fits = shape.size() > rows + 1 && shape[rows] == problem.m &&
                    product_from(shape, rows + 1) == problem.k &&
                    (rows == 0 || shape.front() == problem.batch_count);
  if (!fits) {
    const std::string batch = rows == 0 ? "" : fmt::format("{} x ", problem.batch_count);
    throw ConfigError(fmt::format("{}: error: is {}, operand A has to be {}M x K = {}{} x {}", file,
                                  pruning::shape_text(shape), rows == 0 ? "" : "batch x ", batch,
                                  problem.m, problem.k));
  }
  PlainMatrix matrix;
  matrix.batch_count = problem.batch_count;
  matrix.rows = problem.m;
  matrix.columns = problem.k;
  matrix.values = std::move(tensor.values);
  return matrix;
}

std::string sha256_of(const PlainMatrix& matrix) {
  const auto* const bytes = reinterpret_cast<const char*>(matrix.values.data());
  return sha256_hex(std::string_view(bytes, matrix.values.size() * sizeof(float)));
}

}  // namespace stcsim
