#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/list/list_texts.hpp"
#include "common/io/field_json.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "common/io/yaml_json.hpp"
#include "pruning/schemes.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kSchemeNotes =
    "Says which tensor SCHEME prunes for which product, along which axis, how, and who published\n"
    "it. SCHEME is a shipped scheme ('stcsim list schemes') or a file. With --format yaml it "
    "prints\n"
    "the file with every default filled in.\n\n"
    "  stcsim list scheme slope\n"
    "  stcsim list scheme sdgp --set dgrad.pattern=1:4\n";

std::string_view words_of_tensor(Tensor tensor) {
  if (tensor == Tensor::weight) return "weights";
  return tensor == Tensor::activation ? "activations" : "gradients";
}

std::string_view words_of_axis(GroupAxis axis) {
  if (axis == GroupAxis::c_in) return "input channels";
  return axis == GroupAxis::c_out ? "output channels" : "tokens";
}

/// How often what to keep is chosen.
std::string choice_cell(const PhaseSparsity& sparsity) {
  if (sparsity.mask_every == 0) return "once";
  return sparsity.mask_every == 1 ? "every step"
                                  : fmt::format("every {} steps", sparsity.mask_every);
}

/// "2:4", "2:4, 5.0 % dense", "dense, fp8_e5m2".
std::string pattern_cell(const PhaseRule& rule) {
  std::string text = rule.sparsity ? rule.sparsity->pattern.to_string() : "dense";
  if (rule.output) text = rule.output->to_string();
  if (rule.sparsity && rule.sparsity->dense_share > 0) {
    text += fmt::format(", {} dense", format_percent(rule.sparsity->dense_share));
  }
  if (rule.sparsity && rule.sparsity->fused) text += ", fused";
  return rule.dtype ? fmt::format("{}, {}", text, to_string(*rule.dtype)) : text;
}

std::vector<std::string> product_row(Phase phase, const PhaseRule& rule) {
  const std::string product(to_string(phase));
  if (rule.output)
    return {product, "results", "input channels", pattern_cell(rule), "-", "as forward"};
  if (!rule.sparsity) return {product, "nothing", "-", pattern_cell(rule), "-", "-"};
  const PhaseSparsity& sparsity = *rule.sparsity;
  return {product,
          std::string(words_of_tensor(sparsity.tensor)),
          std::string(words_of_axis(sparsity.axis)),
          pattern_cell(rule),
          sparsity.prune,
          choice_cell(sparsity)};
}

/// What is pruned for each product of the layers that these rules are of.
std::string products_table(const LayerRules& rules, const std::string& layers, std::size_t width) {
  Table table({{"product"},
               {"prunes"},
               {"groups along"},
               {"pattern"},
               {"how"},
               {"chosen", Align::left, 1}});
  for (const Phase phase : kPhases) table.add_row(product_row(phase, rules.rule(phase)));
  return wrap_lines("layers: " + layers + "\n", width) + table.to_string(width);
}

/// "magnitude: the n largest magnitudes", of every way of pruning that some rules name.
std::string methods_text(const Scheme& scheme) {
  std::vector<std::string> named;
  const auto add = [&named](const LayerRules& rules) {
    for (const Phase phase : kPhases) {
      const auto& sparsity = rules.rule(phase).sparsity;
      if (sparsity && std::ranges::find(named, sparsity->prune) == named.end()) {
        named.push_back(sparsity->prune);
      }
    }
  };
  add(scheme);
  for (const LayerRules& rules : scheme.others) add(rules);
  std::string text;
  for (const std::string& name : named) {
    text += fmt::format("{}: {}\n", name, pruning::find_scheme(name).description);
  }
  return text;
}

std::string training_text(const Scheme& scheme) {
  const bool is_always = scheme.share_of_training >= 1;
  std::string text =
      fmt::format("sparse in {} of a training",
                  is_always ? "all steps" : format_percent(scheme.share_of_training));
  if (scheme.dense_steps == DenseSteps::before) {
    text += ", behind a dense training";
  } else if (!is_always) {
    text += scheme.dense_steps == DenseSteps::first ? ", its first ones dense"
                                                    : ", its last ones dense";
  }
  text += "\n";
  if (scheme.decay) text += "pruned weights decay\n";
  if (scheme.masks_gradients) text += "gradients of pruned weights are set to zero\n";
  if (scheme.updates_kept) text += "only kept weights are updated and have optimizer states\n";
  std::vector<std::string> work;
  for (const SchemeWork& one : scheme.work) work.push_back(one.name);
  if (!work.empty()) text += fmt::format("kernels of its own: {}\n", fmt::join(work, ", "));
  return text;
}

std::string scheme_text(const Scheme& scheme, std::size_t width) {
  std::string text = wrap_lines(fmt::format("{}: {}\n", scheme.name, scheme.description), width);
  if (!scheme.source.empty()) text += wrap_lines("by " + scheme.source + "\n", width);
  if (scheme.is_dense()) return text;
  text += "\n" + products_table(scheme, layers_text(scheme.layers, scheme.layer_patterns), width);
  for (const LayerRules& rules : scheme.others) {
    text += "\n" + products_table(rules, "others, " + layers_text(rules.layers, {}), width);
  }
  return text + "\n" + wrap_lines(methods_text(scheme) + training_text(scheme), width);
}

constexpr Option kScheme{"SCHEME"};
struct SchemeTable {
  Option set = kCommon.set.like("forward.pattern=1:4");
  Option format = kCommon.format.as("table|yaml|json", "form of the output (default table)");
};

int show_scheme(const Arguments& arguments) {
  const Format format = format_of(arguments, SchemeTable().format);
  const Scheme scheme = load_scheme(arguments.text(kScheme), arguments.all(kCommon.set));
  if (format == Format::table) {
    write_data(scheme_text(scheme, output_width()));
    if (scheme.is_dense()) return kExitFine;
    write_next(arguments, {"stcsim run --network bert_base_s384", "--arch a100",
                           "--schemes " + shell_word(arguments.text(kScheme))});
    return kExitFine;
  }
  const nlohmann::ordered_json config(to_json(scheme));
  write_data(format == Format::yaml ? to_yaml(config) : config.dump(2) + "\n");
  return kExitFine;
}

}  // namespace

Command list_scheme_command() {
  return {"list scheme",      "Say what a scheme prunes where, and who published it",
          "SCHEME [OPTIONS]", kSchemeNotes,
          {kScheme},          options_of<SchemeTable>(),
          &show_scheme};
}

}  // namespace stcsim
