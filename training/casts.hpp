#pragma once

#include <ATen/ATen.h>

#include "common/data_type.hpp"

namespace stcsim::training {

/// What is left of numbers in an 8-bit type, scaled so that the largest magnitude is the type's
/// largest (as of now, per tensor), to nearest even, and scaled back: fp8_e4m3 (448), fp8_e5m2
/// (57344), int8 (127). Other types are left as they are: training is in fp32.
[[nodiscard]] at::Tensor cast(const at::Tensor& tensor, DataType dtype);

}  // namespace stcsim::training
