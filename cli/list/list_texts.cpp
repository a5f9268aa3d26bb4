#include "cli/list/list_texts.hpp"

#include <algorithm>
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
  if (rule.output) text = fmt::format("results {} along c_in", rule.output->to_string());
  if (rule.dtype) text += fmt::format(", {}", to_string(*rule.dtype));
  return text;
}

template <class Value>
std::string names_of(const std::vector<Value>& values) {
  std::vector<std::string_view> names;
  for (const Value value : values) names.push_back(to_string(value));
  return fmt::format("{}", fmt::join(names, ", "));
}

using UnitLines = std::vector<std::pair<std::string, std::string>>;

void add_lines(const UnitTree& unit, std::size_t depth, UnitLines& lines);

void add_children(const UnitTree& unit, std::size_t depth, UnitLines& lines) {
  std::vector<std::string> shown;
  for (const UnitTree& first : unit.children) {
    if (std::find(shown.begin(), shown.end(), first.kind) != shown.end()) continue;
    shown.push_back(first.kind);
    add_lines(first, depth, lines);
    std::vector<std::string> others;
    for (const UnitTree& other : unit.children) {
      if (other.kind == first.kind && other.name != first.name) others.push_back(other.name);
    }
    if (others.empty()) continue;
    const std::string name =
        others.size() == 1 ? others.front() : others.front() + " … " + others.back();
    lines.emplace_back(std::string(2 * depth, ' ') + name, "like " + first.name);
  }
}

void add_lines(const UnitTree& unit, std::size_t depth, UnitLines& lines) {
  const bool says_kind = unit.name == unit.kind;
  lines.emplace_back(std::string(2 * depth, ' ') + unit.name,
                     (says_kind ? "" : unit.kind + ": ") + unit.help);
  add_children(unit, depth + 1, lines);
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

std::vector<std::pair<std::string, std::string>> unit_lines(const UnitTree& tree) {
  UnitLines lines;
  add_lines(tree, 0, lines);
  return lines;
}

}  // namespace stcsim
