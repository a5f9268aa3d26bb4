#include "reports/claims/claim.hpp"

#include <array>

namespace stcsim {
namespace {

struct QuantityText {
  std::string_view name;
  std::string_view title;
  PaperUnit unit;
  std::optional<double> neutral;
  bool of_step;
};
constexpr std::array<QuantityText, kClaimQuantities> kQuantities{{
    {"dgrad_share", "dgrad's share of the GEMMs' time", PaperUnit::percent, std::nullopt, false},
    {"gemm_time_saved", "GEMM time saved", PaperUnit::percent, 0, false},
    {"step_time_saved", "step time saved", PaperUnit::percent, 0, true},
    {"forward_dgrad_gain", "gain of forward and dgrad", PaperUnit::ratio, 1, false},
    {"wgrad_gain", "gain of wgrad", PaperUnit::ratio, 1, false},
    {"gemm_gain", "gain of the GEMMs", PaperUnit::ratio, 1, false},
    {"step_gain", "gain of the step", PaperUnit::ratio, 1, true},
    {"inference_gain", "gain of inference", PaperUnit::ratio, 1, true},
    {"kernel_gain", "gain of the GEMM", PaperUnit::ratio, 1, false},
    {"kernel_cycles", "cycles of the GEMM", PaperUnit::cycles, std::nullopt, false},
}};

const QuantityText& text_of(ClaimQuantity quantity) {
  return kQuantities.at(static_cast<std::size_t>(quantity));
}

}  // namespace

std::string_view to_string(ClaimQuantity quantity) {
  return text_of(quantity).name;
}
PaperQuantity figure_of(ClaimQuantity quantity) {
  const QuantityText& text = text_of(quantity);
  return {std::string(text.title), text.unit, text.neutral};
}
bool is_of_gemm(ClaimQuantity quantity) {
  return quantity == ClaimQuantity::kernel_gain || quantity == ClaimQuantity::kernel_cycles;
}
bool is_of_step(ClaimQuantity quantity) {
  return text_of(quantity).of_step;
}

}  // namespace stcsim
