#include "cli/gemm/layer_gemm.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/gemm/gemm_table.hpp"
#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "common/phase.hpp"
#include "common/suggestion.hpp"
#include "pruning/npy.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/study/scheme_gemms.hpp"

namespace stcsim {

namespace {

/// "resnet50:layer3.0.conv2" in two.
std::pair<std::string, std::string> names_in(const Arguments& arguments) {
  const std::string text = arguments.text(kGemm.layer);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    arguments.refuse(kGemm.layer, "NETWORK:LAYER, e.g. resnet50:layer3.0.conv2");
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

const Layer& find_layer(const Network& network, const std::string& network_name,
                        const std::string& name) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) {
    if (same_but_case(layer.name, name)) return layer;
    names.push_back(layer.name);
  }
  throw ConfigError(
      fmt::format("--layer: network '{}' has no layer '{}' ('stcsim list layers {}' shows all){}",
                  network.name, name, network_name, did_you_mean(name, names)));
}

Phase phase_of(const Arguments& arguments) {
  const std::string text = arguments.text_or(kCommon.phase, "forward");
  const auto phase = phase_from_string(text);
  if (!phase) arguments.refuse(kCommon.phase, "forward, dgrad, wgrad (or fprop, backward, update)");
  return *phase;
}

/// The scheme, with the pattern of --sparsity if that is given.
Scheme scheme_of(const Arguments& arguments) {
  Scheme scheme = load_scheme(arguments.text_or(kCommon.scheme, kBaselineScheme));
  arguments.allow_only_if(
      !scheme.is_dense(), kGemm.sparsity,
      "has no effect with --layer but for a --scheme with a sparse phase, whose "
      "pattern it replaces");
  if (!arguments.has(kGemm.sparsity)) return scheme;
  const auto pattern = operand_pattern_from_string(arguments.text(kGemm.sparsity));
  if (!pattern || pattern->is_dense()) {
    arguments.refuse(kGemm.sparsity, "n:m (n kept out of m), e.g. 1:4");
  }
  scheme.set_pattern(*pattern);
  return scheme;
}

std::size_t part_of(const Arguments& arguments, const Layer& layer, std::string_view phase,
                    const SchemeGemms& gemms, const std::string& network_name) {
  const std::size_t count = gemms.gemms.size();
  if (!layer.has_product()) {
    throw ConfigError(fmt::format(
        "--layer: '{}' is an embedding, which is looked up: it has no GEMM", layer.name));
  }
  if (count == 0) {
    throw ConfigError(
        fmt::format("--phase: '{}' has no {}: nothing needs the gradient of the "
                    "network's input",
                    layer.name, phase));
  }
  arguments.allow_only_if(count > 1, kGemm.part, "has no effect: the phase is one GEMM");
  if (count > 1 && !arguments.has(kGemm.part)) {
    throw ConfigError(fmt::format(
        "--part is missing: {} of '{}' is {} GEMMs, 1 to {} ('stcsim list layers {}' shows them)",
        phase, layer.name, count, count, network_name));
  }
  return static_cast<std::size_t>(
             arguments.integer_or(kGemm.part, 1, 1, static_cast<std::int64_t>(count))) -
         1;
}

/// "sdgp prunes the output_gradient, which is the right operand: stated transposed".
std::string operand_text(const SchemeGemms& gemms, const Scheme& scheme) {
  if (gemms.request.pattern.is_dense()) return "dense";
  std::string text = fmt::format("{} {} by {}", to_string(gemms.request.tensor),
                                 gemms.request.pattern.to_string(), scheme.name);
  if (gemms.support.patterns.empty()) return text;
  return text +
         (gemms.request.on_right ? " (right operand: stated transposed)" : " (left operand)");
}

}  // namespace

LayerGemmChoice layer_gemm_of(const Arguments& arguments, const MachineSpec& machine,
                              DataType dtype) {
  const auto [network_name, layer_name] = names_in(arguments);
  const Network network = load_network(network_name, batch_overrides(arguments));
  const Layer& layer = find_layer(network, network_name, layer_name);
  const Phase phase = phase_of(arguments);
  const Scheme scheme = scheme_of(arguments);
  const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, network.batch, dtype);
  const std::string_view phase_title = title_of(phase);
  const std::size_t part = part_of(arguments, layer, phase_title, gemms, network_name);
  LayerGemmChoice choice{gemms.gemms[part], gemms.dense[part], gemms.request.prune, gemms.reason,
                         ""};
  choice.title = fmt::format("{} of {}, batch {}, {}: {}", layer.name, network.name, network.batch,
                             phase_title, operand_text(gemms, scheme));
  if (gemms.gemms.size() > 1) {
    choice.title += fmt::format(", GEMM {} of {}", part + 1, gemms.gemms.size());
  }
  const bool is_left_dense =
      choice.reason.empty() && gemms.request.pattern.is_dense() && !scheme.is_dense();
  if (is_left_dense) {
    choice.reason = fmt::format("{} leaves {} dense", scheme.name, phase_title);
  }
  return choice;
}

nlohmann::ordered_json layer_gemm_json(const Arguments& arguments, const LayerGemmChoice& choice) {
  const auto footprint = [](const Footprint& of) {
    return nlohmann::ordered_json{{"unique_rows", of.unique_rows}, {"unique_k", of.unique_k}};
  };
  return {{"layer", arguments.text(kGemm.layer)},
          {"phase", to_string(phase_of(arguments))},
          {"scheme", arguments.text_or(kCommon.scheme, kBaselineScheme)},
          {"a", footprint(choice.problem.a)},
          {"b", footprint(choice.problem.b)}};
}

namespace {

std::int64_t product_from(const std::vector<std::int64_t>& shape, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis) product *= shape[axis];
  return product;
}

}  // namespace

PlainMatrix operand_file(const std::string& file, const GemmProblem& problem, Operand operand) {
  const bool is_a = operand == Operand::a;
  const std::int64_t rows = is_a ? problem.m : problem.k;
  const std::int64_t columns = is_a ? problem.k : problem.n;
  pruning::Tensor tensor = pruning::read_npy_numbers(file).numbers;
  const std::vector<std::int64_t>& shape = tensor.shape;
  const std::size_t of_rows = problem.batch_count > 1 ? 1 : 0;  // their axis
  const bool fits = shape.size() > of_rows + 1 && shape[of_rows] == rows &&
                    product_from(shape, of_rows + 1) == columns &&
                    (of_rows == 0 || shape.front() == problem.batch_count);
  if (!fits) {
    const std::string batch = of_rows == 0 ? "" : fmt::format("{} x ", problem.batch_count);
    throw ConfigError(fmt::format("{}: error: is {}, operand {} has to be {}{} = {}{} x {}", file,
                                  pruning::shape_text(shape), is_a ? "A" : "B",
                                  of_rows == 0 ? "" : "batch x ", is_a ? "M x K" : "K x N", batch,
                                  rows, columns));
  }
  PlainMatrix matrix;
  matrix.batch_count = problem.batch_count;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.values = std::move(tensor.values);
  return matrix;
}

std::string sha256_of(const PlainMatrix& matrix) {
  const auto* const bytes = reinterpret_cast<const char*>(matrix.values.data());
  return sha256_hex(std::string_view(bytes, matrix.values.size() * sizeof(float)));
}

}  // namespace stcsim
