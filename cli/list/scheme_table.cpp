#include "cli/list/scheme_table.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

/// As formulas have it: W, X, dY.
std::string_view symbol_of(Tensor tensor) {
  if (tensor == Tensor::weight) return "W";
  return tensor == Tensor::activation ? "X" : "dY";
}

/// "W 2:4 along c_in, fp8_e4m3"; "dense".
std::string phase_cell(const PhaseRule& rule) {
  std::string text = "dense";
  if (rule.sparsity) {
    const PhaseSparsity& sparsity = *rule.sparsity;
    text = fmt::format("{} {} along {}", symbol_of(sparsity.tensor), sparsity.pattern.to_string(),
                       to_string(sparsity.axis));
    if (sparsity.dense_share > 0) {
      text += fmt::format(", {} dense", format_percent(sparsity.dense_share));
    }
  }
  if (rule.dtype) text += fmt::format(", {}", to_string(*rule.dtype));
  return text;
}

template <class Value>
std::string names_of(const std::vector<Value>& values) {
  std::vector<std::string_view> names;
  for (const Value value : values) names.push_back(to_string(value));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string layers_text(const LayerFilter& layers, const std::vector<LayerPattern>& patterns) {
  std::vector<std::string> parts;
  if (!layers.kinds.empty()) parts.push_back(names_of(layers.kinds));
  if (!layers.roles.empty()) parts.push_back(names_of(layers.roles));
  if (layers.min_in_channels > 0) {
    parts.push_back(fmt::format("{} or more input channels", layers.min_in_channels));
  }
  if (layers.rows_multiple_of > 1) {
    parts.push_back(fmt::format("rows a multiple of {}", layers.rows_multiple_of));
  }
  if (layers.reduction_multiple_of > 1) {
    parts.push_back(fmt::format("input channels a multiple of {}", layers.reduction_multiple_of));
  }
  if (layers.narrowing) parts.emplace_back("fewer output than input channels");
  for (const LayerPattern& one : patterns) {
    parts.push_back(fmt::format("{} {}", one.layers, one.pattern.to_string()));
  }
  return parts.empty() ? "all" : fmt::format("{}", fmt::join(parts, "; "));
}

Table scheme_table(const std::vector<Scheme>& schemes) {
  Table table({{"scheme"},
               {"forward"},
               {"dgrad"},
               {"wgrad"},
               {"layers"},
               {"share of training", Align::right}});
  for (const Scheme& scheme : schemes) {
    const auto add_row = [&](const std::string& name, const LayerRules& rules,
                             const std::string& layers, const std::string& share) {
      table.add_row({name, phase_cell(rules.rule(Phase::forward)),
                     phase_cell(rules.rule(Phase::dgrad)), phase_cell(rules.rule(Phase::wgrad)),
                     layers, share});
    };
    const bool is_dense = scheme.is_dense();
    add_row(scheme.name, scheme, is_dense ? "-" : layers_text(scheme.layers, scheme.layer_patterns),
            is_dense ? "-" : format_percent(scheme.share_of_training));
    for (const LayerRules& rules : scheme.others) {
      add_row(scheme.name, rules, "others: " + layers_text(rules.layers, {}), "");
    }
  }
  return table;
}

}  // namespace stcsim
