#include "reports/run/network_layers.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "common/version.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Multiply-accumulates of a step by phase, repeats counted.
std::array<std::int64_t, 3> macs_by_phase(const std::vector<LayerGemm>& gemms) {
  std::array<std::int64_t, 3> macs{};
  for (const LayerGemm& one : gemms) {
    macs.at(static_cast<std::size_t>(one.phase)) += one.layer->repeat * one.gemm.macs();
  }
  return macs;
}

std::string head_lines(const Network& network) {
  std::int64_t layers = 0;
  for (const Layer& layer : network.layers) layers += layer.repeat;
  const std::string updates = network.products_only
                                  ? "products alone"
                                  : fmt::format("{} updates", to_string(network.optimizer));
  const std::int64_t updated = network.trained_parameters();
  const std::string trained =
      updated == network.parameters() ? "" : fmt::format(", {} trained", format_count(updated));
  return fmt::format(
      "{}: {} layers, {} parameters ({} of them outside the layers{})\n"
      "forward {} MACs per sample; a step has {} samples ({})\n",
      network.name, layers, format_count(network.parameters()),
      format_count(network.other_parameters + network.frozen_parameters), trained,
      format_amount(network.forward_macs()), format_count(network.batch), updates);
}

std::string repeated_name(const Layer& layer) {
  return layer.repeat == 1 ? layer.name : layer.name + " ×" + std::to_string(layer.repeat);
}

void add_gemm(Table& table, const LayerGemm& one, bool first_of_layer) {
  const Layer& layer = *one.layer;
  const GemmProblem& gemm = one.gemm;
  table.add_row({first_of_layer ? repeated_name(layer) : "",
                 first_of_layer ? std::string(to_string(layer.kind)) : "",
                 std::string(title_of(one.phase)), std::to_string(gemm.m), std::to_string(gemm.n),
                 std::to_string(gemm.k), std::to_string(gemm.batch_count),
                 format_amount(gemm.macs()),
                 first_of_layer ? format_count(layer.parameters()) : ""});
}

void add_embedding(Table& table, const Layer& layer) {
  table.add_row({repeated_name(layer), std::string(to_string(layer.kind)), "", "", "", "", "", "",
                 format_count(layer.parameters())});
}

void add_totals(Table& table, const Network& network, const std::vector<LayerGemm>& gemms) {
  table.add_rule();
  const std::array<std::int64_t, 3> macs = macs_by_phase(gemms);
  std::int64_t sum = 0;
  for (const Phase phase : kPhases) {
    const std::int64_t of_phase = macs.at(static_cast<std::size_t>(phase));
    sum += of_phase;
    table.add_row({"all layers", "", std::string(title_of(phase)), "", "", "", "",
                   format_amount(of_phase), ""});
  }
  table.add_row({"all layers", "", "step", "", "", "", "", format_amount(sum),
                 format_count(network.parameters())});
}

ordered_json gemm_json(const Network& network, const LayerGemm& one) {
  const Layer& layer = *one.layer;
  return figures({{"network", network.name},
                  {"layer", layer.name},
                  {"type", to_string(layer.kind)},
                  {"role", to_string(layer.role)},
                  {"repeat", layer.repeat},
                  {"parameters", layer.parameters()},
                  {"phase", to_string(one.phase)},
                  {"part", one.part},
                  {"m", one.gemm.m},
                  {"n", one.gemm.n},
                  {"k", one.gemm.k},
                  {"batch_count", one.gemm.batch_count},
                  {"macs", one.gemm.macs()}});
}

std::vector<ordered_json> gemms_json(const Network& network, const std::vector<LayerGemm>& gemms) {
  return figures_of_each(gemms, [&](const LayerGemm& one) { return gemm_json(network, one); });
}

}  // namespace

std::vector<LayerGemm> layer_gemms(const Network& network) {
  std::vector<LayerGemm> gemms;
  for (const Layer& layer : network.layers) {
    for (const Phase phase : kPhases) {
      std::int64_t part = 0;
      for (const GemmProblem& gemm : lower(layer, phase, network.batch)) {
        gemms.push_back({&layer, phase, part++, gemm});
      }
    }
  }
  return gemms;
}

std::string layers_text(const Network& network, std::size_t width) {
  Table table({{"layer"},
               {"type"},
               {"phase"},
               {"m", Align::right},
               {"n", Align::right},
               {"k", Align::right},
               {"count", Align::right},
               {"MACs", Align::right},
               {"parameters", Align::right}});
  const std::vector<LayerGemm> gemms = layer_gemms(network);
  auto gemm = gemms.begin();
  for (const Layer& layer : network.layers) {
    if (!layer.has_product()) add_embedding(table, layer);
    for (bool first = true; gemm != gemms.end() && gemm->layer == &layer; first = false) {
      add_gemm(table, *gemm++, first);
    }
  }
  add_totals(table, network, gemms);
  return wrap_lines(head_lines(network), width) + "\n" + table.to_string(width) +
         wrap_lines(
             "\nFigures are of one repeat of a layer and a whole step; a layer marked ×N "
             "occurs N times.\ncount: independent GEMMs of that shape.\n",
             width);
}

std::string layers_to_json(const Network& network) {
  const std::vector<LayerGemm> gemms = layer_gemms(network);
  ordered_json document = figures({{"schema", kLayersSchema},
                                   {"version", program_version()},
                                   {"network", network.name},
                                   {"description", network.description},
                                   {"batch", network.batch},
                                   {"optimizer", to_string(network.optimizer)},
                                   {"parameters", network.parameters()},
                                   {"trained_parameters", network.trained_parameters()},
                                   {"other_parameters", network.other_parameters},
                                   {"forward_macs_per_sample", network.forward_macs()}});
  const std::array<std::int64_t, 3> macs = macs_by_phase(gemms);
  for (const Phase phase : kPhases) {
    document["macs"][std::string(to_string(phase))] = macs.at(static_cast<std::size_t>(phase));
  }
  document["gemms"] = gemms_json(network, gemms);
  return document_text(document);
}

std::string layers_to_csv(const Network& network) {
  const Layer none;
  return to_csv(gemm_json(network, {&none, Phase::forward, 0, {}}),
                gemms_json(network, layer_gemms(network)));
}

}  // namespace stcsim
