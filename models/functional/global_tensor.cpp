#include "models/functional/global_tensor.hpp"

namespace stcsim {
namespace {

GlobalTensor make_tensor(DataType type, std::int64_t batch_count, std::int64_t rows,
                         std::int64_t columns, bool columns_contiguous) {
  GlobalTensor tensor{type,
                      batch_count,
                      rows,
                      columns,
                      columns_contiguous ? columns : 1,
                      columns_contiguous ? 1 : rows,
                      {}};
  tensor.bits.resize(as_size(batch_count * rows * columns));
  return tensor;
}

}  // namespace

GlobalTensor make_a_tensor(const GemmProblem& problem) {
  return make_tensor(problem.dtype, problem.batch_count, problem.m, problem.k,
                     problem.a_layout == OperandLayout::k_major);
}

GlobalTensor make_b_tensor(const GemmProblem& problem) {
  return make_tensor(problem.dtype, problem.batch_count, problem.k, problem.n,
                     problem.b_layout == OperandLayout::mn_major);
}

GlobalTensor make_c_tensor(const GemmProblem& problem) {
  return make_tensor(output_of(problem.dtype), problem.batch_count, problem.m, problem.n,
                     problem.c_layout == OutputLayout::row_major);
}

}  // namespace stcsim
