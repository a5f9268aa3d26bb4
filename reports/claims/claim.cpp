#include "reports/claims/claim.hpp"

#include <array>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

struct QuantityText {
  std::string_view name;
  std::string_view title;
  bool percent;
  bool of_step;
};
constexpr std::array<QuantityText, kClaimQuantities> kQuantities{{
    {"dgrad_share", "dgrad's share of the GEMMs' time", true, false},
    {"gemm_time_saved", "GEMM time saved", true, false},
    {"step_time_saved", "step time saved", true, true},
    {"forward_dgrad_gain", "gain of forward and dgrad", false, false},
    {"wgrad_gain", "gain of wgrad", false, false},
    {"gemm_gain", "gain of the GEMMs", false, false},
    {"step_gain", "gain of the step", false, true},
    {"inference_gain", "gain of inference", false, true},
    {"kernel_gain", "gain of the GEMM", false, false},
    {"kernel_cycles", "cycles of the GEMM", false, false},
}};

const QuantityText& text_of(ClaimQuantity quantity) {
  return kQuantities.at(static_cast<std::size_t>(quantity));
}

}  // namespace

std::string_view to_string(ClaimQuantity quantity) {
  return text_of(quantity).name;
}
std::string_view title_of(ClaimQuantity quantity) {
  return text_of(quantity).title;
}
bool is_percent(ClaimQuantity quantity) {
  return text_of(quantity).percent;
}
bool is_of_gemm(ClaimQuantity quantity) {
  return quantity == ClaimQuantity::kernel_gain || quantity == ClaimQuantity::kernel_cycles;
}
bool is_of_step(ClaimQuantity quantity) {
  return text_of(quantity).of_step;
}

std::string format_quantity(ClaimQuantity quantity, double value) {
  if (quantity == ClaimQuantity::kernel_cycles) return fmt::format("{:.0f} cycles", value);
  return is_percent(quantity) ? fmt::format("{:.1f} %", value) : format_speedup(value);
}

}  // namespace stcsim
