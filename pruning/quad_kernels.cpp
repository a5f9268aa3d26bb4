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

/// 1 if the threshold lies in (from, to], the part of the prefix sums that belongs to an element.
inline std::int32_t hits(float threshold, float from, float to) {
  return std::int32_t{from < threshold} & std::int32_t{threshold <= to};
}

inline float value_if(std::int32_t condition, float value) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) & -condition);
}

/// The draw of two of a group: elements whose part of the prefix sums holds a threshold.
struct Draw {
  float first;
  float second;
  float value;  // magnitude of what is drawn
};

inline float drawn(float x, std::int32_t saturated, float from, float to, const Draw& draw) {
  const std::int32_t taken = hits(draw.first, from, to) | hits(draw.second, from, to);
  const float other = value_if(taken, std::copysign(draw.value, x));
  return saturated != 0 ? x : other;
}

/// An element of at least half the sum is certain to be kept, and then one of the others is drawn;
/// else two are, half the sum apart.
inline void mvue(float uniform, float& a, float& b, float& c, float& d) {
  const float ma = std::abs(a);
  const float mb = std::abs(b);
  const float mc = std::abs(c);
  const float md = std::abs(d);
  const float half = 0.5F * (ma + mb + mc + md);
  const std::int32_t sa = ma >= half;
  const std::int32_t sb = mb >= half;
  const std::int32_t sc = mc >= half;
  const std::int32_t sd = md >= half;
  const std::int32_t any = sa | sb | sc | sd;
  const float to_a = value_if(1 - sa, ma);
  const float to_b = to_a + value_if(1 - sb, mb);
  const float to_c = to_b + value_if(1 - sc, mc);
  const float to_d = to_c + value_if(1 - sd, md);
  const float step = any != 0 ? to_d : half;
  const float first = uniform * step;
  const Draw draw{first, first + value_if(1 - any, half), step};
  a = drawn(a, sa, 0.0F, to_a, draw);
  b = drawn(b, sb, to_a, to_b, draw);
  c = drawn(c, sc, to_b, to_c, draw);
  d = drawn(d, sd, to_c, to_d, draw);
}

/// The kernel's guard against groups of zeros, in units of the values.
constexpr float kGuard = 1.19e-7F;

/// A group of the approximate estimator: magnitudes, and the probability to be drawn second per
/// unit of magnitude.
struct Pairs {
  float a, b, c, d;
};

/// Two divisions, since the product of two sums may leave fp32's range.
inline Pairs second_chances(const Pairs& m, float sum) {
  return {m.a / sum / (m.b + m.c + m.d), m.b / sum / (m.a + m.c + m.d),
          m.c / sum / (m.a + m.b + m.d), m.d / sum / (m.a + m.b + m.c)};
}

inline float scaled(float x, std::int32_t taken, float magnitude, float sum, float others) {
  return value_if(taken, x / (magnitude / sum + magnitude * others));
}

inline void approximate(float first, float second, float& a, float& b, float& c, float& d) {
  const Pairs m{std::abs(a) + kGuard, std::abs(b) + kGuard, std::abs(c) + kGuard,
                std::abs(d) + kGuard};
  const float to_b = m.a + m.b;
  const float to_c = to_b + m.c;
  const float sum = to_c + m.d;
  const float at = first * sum;
  const std::int32_t fa = at <= m.a;
  const std::int32_t fb = hits(at, m.a, to_b);
  const std::int32_t fc = hits(at, to_b, to_c);
  const std::int32_t fd = at > to_c;
  const float left_a = value_if(1 - fa, m.a);
  const float left_b = left_a + value_if(1 - fb, m.b);
  const float left_c = left_b + value_if(1 - fc, m.c);
  const float left_d = left_c + value_if(1 - fd, m.d);
  const float then = second * left_d;
  const Pairs k = second_chances(m, sum);
  a = scaled(a, fa | hits(then, 0.0F, left_a), m.a, sum, k.b + k.c + k.d);
  b = scaled(b, fb | hits(then, left_a, left_b), m.b, sum, k.a + k.c + k.d);
  c = scaled(c, fc | hits(then, left_b, left_c), m.c, sum, k.a + k.b + k.d);
  d = scaled(d, fd | hits(then, left_c, left_d), m.d, sum, k.a + k.b + k.c);
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

STCSIM_CLONES
void mvue_quads(const float* in, const float* uniforms, std::int64_t count, float* out) {
  for_each_quad(in, count, out,
                [uniforms](std::int64_t group, float& a, float& b, float& c, float& d) {
                  mvue(uniforms[group], a, b, c, d);
                });
}

STCSIM_CLONES
void approximate_mvue_quads(const float* in, const float* uniforms, std::int64_t count,
                            float* out) {
  for_each_quad(in, count, out,
                [uniforms](std::int64_t group, float& a, float& b, float& c, float& d) {
                  approximate(uniforms[2 * group], uniforms[2 * group + 1], a, b, c, d);
                });
}

}  // namespace stcsim::pruning
