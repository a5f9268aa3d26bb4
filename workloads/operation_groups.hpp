#pragma once

#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Types that tensors have in memory if a pass says nothing else.
struct StreamTypes {
  DataType input;   // of the operation: what its GEMM wrote, or what the kernel before it did
  DataType tensor;  // every other
};

/// int4 results leave their GEMM as int32; kernels after it write what GEMMs read.
[[nodiscard]] StreamTypes types_after_gemm(DataType dtype);

/// Of an element of what the pass names, which a kernel reads or writes.
[[nodiscard]] std::int64_t bits_of(const Pass& pass, const StreamTypes& types, bool reads);

/// A cast to the type that the tensor has already is not launched.
[[nodiscard]] bool is_no_cast(const KernelRecipe& recipe, const StreamTypes& types);

/// Operations after a layer that run together.
struct OperationGroup {
  /// What a framework runs for them; null if it knows nothing.
  const OperationKernels* kernels = nullptr;
  StreamTypes types;
  /// Elements of x and of y, whole batch.
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// The operations after `layer`, in order, in a network whose GEMMs have operands of `dtype`.
[[nodiscard]] std::vector<OperationGroup> operation_groups(const Layer& layer, std::int64_t batch,
                                                           DataType dtype,
                                                           const Framework& framework);

}  // namespace stcsim
