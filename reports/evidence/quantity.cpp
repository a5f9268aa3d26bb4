#include "reports/evidence/quantity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 8> kUnits{"ratio", "percent", "points", "ms",
                                                 "us",    "TFLOP/s", "cycles", "value"};

constexpr auto kNone = std::nullopt;
constexpr std::array<QuantityInfo, 28> kQuantities{{
    {Quantity::none, Scope::step, "", "", PaperUnit::value, kNone},
    {Quantity::share, Scope::layers, "share", "share of the GEMMs' time", PaperUnit::percent,
     kNone},
    {Quantity::share_of_dense, Scope::layers, "share_of_dense", "part of the dense GEMMs' time",
     PaperUnit::percent, kNone},
    {Quantity::gemm_gain, Scope::layers, "gemm_gain", "gain of the GEMMs", PaperUnit::ratio, 1},
    {Quantity::gemm_saved, Scope::layers, "gemm_saved", "GEMM time saved", PaperUnit::percent, 0},
    {Quantity::gemm_ms, Scope::layers, "gemm_ms", "time of the GEMMs", PaperUnit::ms, kNone},
    {Quantity::block_gain, Scope::layers, "block_gain", "gain of the layers with all else",
     PaperUnit::ratio, 1},
    {Quantity::step_gain, Scope::step, "step_gain", "gain of the step", PaperUnit::ratio, 1},
    {Quantity::step_saved, Scope::step, "step_saved", "step time saved", PaperUnit::percent, 0},
    {Quantity::step_ms, Scope::step, "step_ms", "time of the step", PaperUnit::ms, kNone},
    {Quantity::inference_gain, Scope::inference, "inference_gain", "gain of inference",
     PaperUnit::ratio, 1},
    {Quantity::inference_ms, Scope::inference, "inference_ms", "time of inference", PaperUnit::ms,
     kNone},
    {Quantity::step_ratio, Scope::two_steps, "step_ratio", "step against the other's",
     PaperUnit::ratio, 1},
    {Quantity::memory_share, Scope::two_steps, "memory_share", "memory against the other's",
     PaperUnit::percent, 100},
    {Quantity::kernel_gain, Scope::gemm, "gain", "gain of the GEMM", PaperUnit::ratio, 1},
    {Quantity::kernel_tflops, Scope::gemm, "tflops", "throughput", PaperUnit::tflops, kNone},
    {Quantity::kernel_us, Scope::gemm, "us", "time of the GEMM", PaperUnit::us, kNone},
    {Quantity::kernel_cycles, Scope::gemm, "cycles", "cycles of the GEMM", PaperUnit::cycles,
     kNone},
    {Quantity::training_hours, Scope::training, "hours", "hours of the whole training",
     PaperUnit::value, kNone},
    {Quantity::training_gain, Scope::training, "gain", "gain of the whole training",
     PaperUnit::ratio, 1},
    {Quantity::mask_retained, Scope::mask, "retained", "magnitude kept", PaperUnit::percent, kNone},
    {Quantity::mask_of_optimum, Scope::mask, "of_optimum",
     "magnitude kept of what the best transposable mask keeps", PaperUnit::percent, kNone},
    {Quantity::estimate_bias, Scope::estimate, "bias", "bias (part of the squared norm)",
     PaperUnit::value, kNone},
    {Quantity::estimate_variance, Scope::estimate, "variance",
     "variance (part of the squared norm)", PaperUnit::value, kNone},
    {Quantity::estimate_error, Scope::estimate, "mean_square_error",
     "mean square error (part of the squared norm)", PaperUnit::value, kNone},
    {Quantity::estimate_retained, Scope::estimate, "retained", "magnitude kept", PaperUnit::percent,
     kNone},
    {Quantity::accuracy, Scope::trained, "accuracy", "accuracy", PaperUnit::percent, kNone},
    {Quantity::accuracy_difference, Scope::trained, "difference", "difference of the accuracies",
     PaperUnit::points, 0},
}};

/// Names of files of claims before 0.1.0, and today's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFormerNames{
    {{"dgrad_share", "'share' of products: [dgrad]"},
     {"gemm_time_saved", "'gemm_saved'"},
     {"step_time_saved", "'step_saved'"},
     {"forward_dgrad_gain", "'gemm_gain' of products: [forward, dgrad]"},
     {"wgrad_gain", "'gemm_gain' of products: [wgrad]"},
     {"kernel_gain", "'gain'"},
     {"kernel_cycles", "'cycles'"}}};

std::string significant(double value) {
  return (value < 0 ? "-" : "") + format_significant(std::abs(value));
}

void refuse_former_name(MapReader& map) {
  if (!map.has("quantity")) return;
  const std::string& text = map.get_node("quantity").text;
  for (const auto& [former, now] : kFormerNames) {
    if (text == former) {
      map.fail("quantity", fmt::format("'quantity' is '{}', which is called {} now", former, now));
    }
  }
}

}  // namespace

std::string_view to_string(PaperUnit unit) {
  return kUnits.at(static_cast<std::size_t>(unit));
}

std::string format_figure(PaperUnit unit, double value) {
  switch (unit) {
    case PaperUnit::ratio:
      return format_speedup(value);
    case PaperUnit::percent:
      return fmt::format("{:.{}f} %", value, std::abs(value) < 10 ? 2 : 1);
    case PaperUnit::points:
      return fmt::format("{:+.2f} points", value);
    case PaperUnit::value:
      return significant(value);
    case PaperUnit::ms:
    case PaperUnit::us:
    case PaperUnit::tflops:
      return fmt::format("{} {}", significant(value), to_string(unit));
    case PaperUnit::cycles:
      return fmt::format("{:.0f} cycles", value);
  }
  return "";
}

std::string format_range(PaperUnit unit, double least, double most) {
  const std::string first = format_figure(unit, least);
  const std::string last = format_figure(unit, most);
  return first == last ? first : first + " to " + last;
}

std::string_view to_string(Scope scope) {
  return std::ranges::find(kNetworkScopes, scope, &std::pair<std::string_view, Scope>::second)
      ->first;
}

const QuantityInfo& info_of(Quantity quantity) {
  return *std::ranges::find(kQuantities, quantity, &QuantityInfo::quantity);
}

Quantity read_quantity(MapReader& map, std::initializer_list<Scope> scopes) {
  refuse_former_name(map);
  std::vector<std::pair<std::string_view, Quantity>> names;
  for (const QuantityInfo& info : kQuantities) {
    const bool is_asked = std::ranges::find(scopes, info.scope) != scopes.end();
    if (is_asked && !info.name.empty()) names.emplace_back(info.name, info.quantity);
  }
  return map.get_enum("quantity", names);
}

}  // namespace stcsim
