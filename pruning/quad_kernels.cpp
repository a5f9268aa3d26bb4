#include "pruning/quad_kernels.hpp"

#include <bit>
#include <cmath>

#include "pruning/parallel.hpp"

namespace stcsim::pruning {
namespace {

/// Magnitudes order like these bits; NaN comes last.
inline std::int32_t magnitude_bits(float value) {
  return std::bit_cast<std::int32_t>(value) & 0x7fffffff;
}

/// The value if fewer than two of its group come before it, else 0.
inline float kept_if(std::int32_t before, float value) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) & -std::int32_t{before < 2});
}

inline void keep_largest(float& a, float& b, float& c, float& d) {
  const std::int32_t ka = magnitude_bits(a);
  const std::int32_t kb = magnitude_bits(b);
  const std::int32_t kc = magnitude_bits(c);
  const std::int32_t kd = magnitude_bits(d);
  const std::int32_t a_b = ka >= kb;
  const std::int32_t a_c = ka >= kc;
  const std::int32_t a_d = ka >= kd;
  const std::int32_t b_c = kb >= kc;
  const std::int32_t b_d = kb >= kd;
  const std::int32_t c_d = kc >= kd;
  a = kept_if(3 - a_b - a_c - a_d, a);
  b = kept_if(2 + a_b - b_c - b_d, b);
  c = kept_if(1 + a_c + b_c - c_d, c);
  d = kept_if(a_d + b_d + c_d, d);
}

inline float soft(float value, float threshold, float scale) {
  return std::copysign(std::max(std::abs(value) - threshold, 0.0F) * scale, value);
}

inline void soft_threshold(float scale, float& a, float& b, float& c, float& d) {
  const float ma = std::abs(a);
  const float mb = std::abs(b);
  const float mc = std::abs(c);
  const float md = std::abs(d);
  const float t = std::min(std::max(std::min(ma, mb), std::min(mc, md)),
                           std::min(std::max(ma, mb), std::max(mc, md)));
  a = soft(a, t, scale);
  b = soft(b, t, scale);
  c = soft(c, t, scale);
  d = soft(d, t, scale);
}

}  // namespace

STCSIM_CLONES
void keep_largest_quads(const float* in, std::int64_t count, float* out) {
  for_each_quad(in, count, out, [](std::int64_t, float& a, float& b, float& c, float& d) {
    keep_largest(a, b, c, d);
  });
}

STCSIM_CLONES
void soft_threshold_quads(const float* in, std::int64_t count, float scale, float* out) {
  for_each_quad(in, count, out, [scale](std::int64_t, float& a, float& b, float& c, float& d) {
    soft_threshold(scale, a, b, c, d);
  });
}

}  // namespace stcsim::pruning
