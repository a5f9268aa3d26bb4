#include "models/functional/functional_kernel.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.hpp"
#include "models/functional/metadata_codec.hpp"
#include "models/functional/mma.hpp"

namespace stcsim {
namespace {

void require_positive(std::int64_t value, std::string_view name) {
  if (value >= 1) return;
  throw ConfigError("functional kernel: " + std::string(name) + " is " + std::to_string(value) +
                    ", must be at least 1");
}

void require_multiple(std::int64_t value, std::string_view name, std::int64_t factor,
                      std::string_view factor_name) {
  if (value % factor == 0) return;
  throw ConfigError("functional kernel: " + std::string(name) + " is " + std::to_string(value) +
                    ", must be a multiple of " + std::string(factor_name) + " (" +
                    std::to_string(factor) + ")");
}

void require_counts(const FunctionalKernel& kernel) {
  require_positive(kernel.tile_m, "tile_m");
  require_positive(kernel.tile_n, "tile_n");
  require_positive(kernel.tile_k, "tile_k");
  require_positive(kernel.stages, "stages");
  require_positive(kernel.warps_m, "warps_m");
  require_positive(kernel.warps_n, "warps_n");
  require_positive(kernel.warps_k, "warps_k");
  require_positive(kernel.instruction_k, "instruction_k");
  require_positive(kernel.split_k, "split_k");
  require_positive(kernel.fragment_buffers, "fragment_buffers");
  require_positive(kernel.num_sms, "num_sms");
  require_positive(kernel.slots_per_sm, "slots_per_sm");
}

void require_shape(const GlobalTensor& tensor, const GlobalTensor& expected,
                   std::string_view name) {
  const auto shape = [](const GlobalTensor& t) {
    return std::string(to_string(t.type)) + "[" + std::to_string(t.batch_count) + "][" +
           std::to_string(t.rows) + "][" + std::to_string(t.columns) + "] with strides " +
           std::to_string(t.row_stride) + ", " + std::to_string(t.column_stride) + " in " +
           std::to_string(t.bits.size()) + " words";
  };
  if (shape(tensor) == shape(expected)) return;
  throw ConfigError("operand " + std::string(name) + " is " + shape(tensor) + ", must be " +
                    shape(expected));
}

void require_gathered_rows(const FunctionalKernel& kernel, const FunctionalOperands& operands) {
  const GemmProblem& problem = kernel.problem;
  const std::int64_t blocks =
      kernel.block_rows > 0 ? ceil_div(problem.m, kernel.block_rows) * problem.batch_count : 0;
  const bool is_whole = std::ssize(operands.gathered_rows) == blocks * problem.k;
  const auto is_row = [&](std::int64_t row) { return row >= -1 && row < kernel.rows_of_b; };
  if (is_whole && std::ranges::all_of(operands.gathered_rows, is_row)) return;
  throw ConfigError("the rows of B to gather are not " + std::to_string(problem.k) +
                    " for each of " + std::to_string(blocks) + " blocks, from -1 to " +
                    std::to_string(kernel.rows_of_b - 1));
}

void require_masks(const FunctionalKernel& kernel, const FunctionalOperands& operands) {
  const GemmProblem& problem = kernel.problem;
  const std::int64_t count = kernel.pattern.of_outputs ? problem.batch_count : 0;
  const auto matches = [&](const CompressedMatrix& mask) {
    return mask.pattern() == kernel.pattern && mask.format() == kernel.metadata &&
           mask.rows() == problem.m && mask.k() == problem.n;
  };
  if (std::ssize(operands.c_masks) == count && std::ranges::all_of(operands.c_masks, matches)) {
    return;
  }
  throw ConfigError("there are not " + std::to_string(count) + " masks of " +
                    std::to_string(problem.m) + " x " + std::to_string(problem.n) + " for " +
                    kernel.pattern.to_string());
}

}  // namespace

std::int64_t FunctionalKernel::metadata_words(std::int64_t k) const {
  return ceil_div(row_contents(k, pattern.of_a(), metadata).metadata_bits, kWordBits);
}

std::int64_t FunctionalKernel::mask_words(std::int64_t columns) const {
  if (!pattern.of_outputs) return 0;
  return ceil_div(row_contents(columns, pattern, metadata).metadata_bits, kWordBits);
}

GemmProblem FunctionalKernel::b_problem() const {
  GemmProblem whole = problem;
  if (block_rows > 0) whole.k = rows_of_b;
  return whole;
}

void validate(const FunctionalKernel& kernel) {
  validate(kernel.problem, "functional kernel");
  require_counts(kernel);
  require_multiple(kernel.tile_m, "tile_m", kernel.warps_m, "warps_m");
  require_multiple(kernel.tile_n, "tile_n", kernel.warps_n, "warps_n");
  require_multiple(kernel.tile_k, "tile_k", kernel.instruction_k * kernel.warps_k,
                   "instruction_k * warps_k");
  require_multiple(kernel.instruction_k, "instruction_k", kernel.pattern.of_a().m,
                   "the pattern's m");
  const FragmentShape shape(kernel);
  require_multiple(shape.rows, "a warp's rows", shape.instruction_rows, "instruction_m");
  require_multiple(shape.columns, "a warp's columns", shape.instruction_columns, "instruction_n");
  if (kernel.pattern.of_outputs) {
    require_multiple(shape.instruction_columns, "instruction_n", kernel.pattern.m,
                     "the pattern's m");
  }
  const GemmProblem& problem = kernel.problem;
  if (std::ranges::find(operand_data_types(), problem.dtype) == operand_data_types().end()) {
    throw ConfigError("functional kernel: " + std::string(to_string(problem.dtype)) +
                      " is not a type of tensor-core operands");
  }
  if (!kernel.pattern.is_dense() && !fits(problem.a_pattern, kernel.pattern)) {
    throw ConfigError("functional kernel: A is " + problem.a_pattern.to_string() +
                      ", which does not fit " + kernel.pattern.to_string() + " hardware");
  }
}

void validate(const FunctionalKernel& kernel, const FunctionalOperands& operands) {
  const GemmProblem& problem = kernel.problem;
  require_shape(operands.b, make_b_tensor(kernel.b_problem()), "B");
  require_gathered_rows(kernel, operands);
  require_masks(kernel, operands);
  if (kernel.pattern.of_a().is_dense())
    return require_shape(operands.a, make_a_tensor(problem), "A");
  const auto matches = [&](const CompressedMatrix& a) {
    return a.pattern() == kernel.pattern && a.format() == kernel.metadata &&
           a.rows() == problem.m && a.k() == problem.k;
  };
  if (std::ssize(operands.compressed_a) != problem.batch_count ||
      !std::ranges::all_of(operands.compressed_a, matches)) {
    throw ConfigError("operand A is not " + std::to_string(problem.batch_count) + " matrices of " +
                      std::to_string(problem.m) + " x " + std::to_string(problem.k) +
                      " compressed to " + kernel.pattern.to_string());
  }
}

FunctionalOperands make_operands(const FunctionalKernel& kernel, GlobalTensor a, GlobalTensor b) {
  require_shape(a, make_a_tensor(kernel.problem), "A");
  require_shape(b, make_b_tensor(kernel.b_problem()), "B");
  FunctionalOperands operands;
  operands.b = std::move(b);
  if (kernel.pattern.of_a().is_dense()) {
    operands.a = std::move(a);
    return operands;
  }
  for (std::int64_t batch = 0; batch < a.batch_count; ++batch) {
    operands.compressed_a.push_back(compress(a, batch, kernel.pattern, kernel.metadata));
  }
  return operands;
}

}  // namespace stcsim
