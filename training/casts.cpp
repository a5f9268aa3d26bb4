#include "training/casts.hpp"

namespace stcsim::training {
namespace {

/// Of a floating-point type: bits behind the point, and the exponent of its least normal number.
struct Eight {
  double largest = 0;
  std::int64_t mantissa = 0;
  std::int64_t least_exponent = 0;
};

Eight eight_of(DataType dtype) {
  if (dtype == DataType::fp8_e4m3) return {448, 3, -6};
  if (dtype == DataType::fp8_e5m2) return {57344, 2, -14};
  // Evenly spaced, as below the least normal number.
  return dtype == DataType::int8 ? Eight{127, 0, 0} : Eight{};
}

}  // namespace

at::Tensor cast(const at::Tensor& tensor, DataType dtype) {
  const Eight eight = eight_of(dtype);
  const double largest = tensor.abs().max().item<double>();
  if (eight.largest == 0 || largest == 0) return tensor;
  const double scale = eight.largest / largest;
  const at::Tensor scaled = tensor * scale;
  at::Tensor exponent = (std::get<1>(at::frexp(scaled)) - 1).clamp_min(eight.least_exponent);
  if (dtype == DataType::int8) exponent = at::zeros_like(exponent);
  const at::Tensor quantum = at::pow(2.0, (exponent - eight.mantissa).to(at::kFloat));
  return (scaled / quantum).round().mul(quantum).clamp(-eight.largest, eight.largest) / scale;
}

}  // namespace stcsim::training
