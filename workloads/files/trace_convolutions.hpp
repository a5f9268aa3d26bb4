#pragma once

#include <string>

#include "workloads/files/trace_products.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Sets stride, pad and dilation of a convolution's layer: as the operator's "Concrete Inputs" have
/// them, else such as lead to its output's size. That is its gradient's, or what the next operator
/// reads.
/// @param back the gradient, or null
/// @return what is wrong, to be put behind the operator's name; "" if nothing is
[[nodiscard]] std::string settle_windows(Layer& layer, const TraceEvents& events,
                                         const TraceProduct& one, const TraceProduct* back);

}  // namespace stcsim
