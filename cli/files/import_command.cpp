#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "common/error.hpp"
#include "common/io/field_json.hpp"
#include "common/io/format.hpp"
#include "common/io/problems.hpp"
#include "common/io/table.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_json.hpp"
#include "workloads/files/import.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kImportNotes =
    "FILE is recognised by what is in it: a Hugging Face config.json, an ONNX graph, a PyTorch\n"
    "profile with shapes (.json, .json.gz) or a list of GEMMs (CSV with columns m, n and k).\n"
    "Without -o the network goes to standard output. Every command takes such a file as a\n"
    "network, too: import is for editing it.\n\n"
    "  stcsim import bert/config.json --tokens 384 --batch 32 -o bert.yaml\n"
    "  stcsim run --network bert.yaml --arch a100 --schemes slope\n";

/// A layer without the keys that have their defaults, the main ones first.
ordered_json layer_json(const Layer& layer) {
  Layer plain;
  plain.kind = layer.kind;
  plain.in_channels = plain.out_channels = plain.bmm_m = plain.bmm_n = plain.bmm_k = 0;
  if (layer.kind == LayerKind::conv) plain.height = 0;
  const nlohmann::json defaults = to_json(plain);
  const nlohmann::json all = to_json(layer);
  ordered_json shown;
  for (const char* const key : {"name", "type", "role"}) shown[key] = all.at(key);
  for (const auto& [key, value] : all.items()) {
    const bool is_default = defaults.contains(key) && defaults.at(key) == value;
    if (key != "after" && !is_default) shown[key] = value;
  }
  if (!layer.after.empty()) shown["after"] = all.at("after");
  return shown;
}

std::string network_text(const Network& network, const std::string& summary) {
  ordered_json text{
      {"name", network.name}, {"description", network.description}, {"batch", network.batch}};
  if (network.products_only) {
    text["products_only"] = true;
  } else {
    text["optimizer"] = to_string(network.optimizer);
    text["other_parameters"] = network.other_parameters;
  }
  for (const Layer& layer : network.layers) text["layers"].push_back(layer_json(layer));
  return "# " + summary + "\n" + to_yaml(text);
}

/// Multiply-accumulates of a step by kind of layer and phase, and parameters.
std::string table_of(const Network& network) {
  Table table({{"layers"},
               {"number", Align::right},
               {"forward MACs", Align::right},
               {"dgrad MACs", Align::right},
               {"wgrad MACs", Align::right},
               {"parameters", Align::right}});
  std::array<std::int64_t, 5> all{0, 0, 0, 0, network.other_parameters};
  const auto add = [&](std::string name, const std::array<std::int64_t, 5>& sums) {
    std::vector<std::string> cells{std::move(name)};
    cells.push_back(format_count(sums[0]));
    for (std::size_t at = 1; at < 4; ++at) cells.push_back(short_count(sums.at(at)));
    cells.push_back(format_count(sums[4]));
    table.add_row(std::move(cells));
  };
  for (const auto& [name, kind] : names_until(LayerKind::embedding)) {
    std::array<std::int64_t, 5> sums{};
    for (const Layer& layer : network.layers) {
      if (layer.kind != kind) continue;
      sums[0] += layer.repeat;
      for (const Phase phase : kPhases) {
        for (const GemmProblem& gemm : lower(layer, phase, network.batch)) {
          sums.at(static_cast<std::size_t>(phase) + 1) += layer.repeat * gemm.macs();
        }
      }
      sums[4] += layer.repeat * layer.parameters();
    }
    if (sums[0] == 0) continue;
    add(std::string(name), sums);
    for (std::size_t at = 0; at < all.size(); ++at) all.at(at) += sums.at(at);
  }
  if (network.other_parameters > 0) add("others", {0, 0, 0, 0, network.other_parameters});
  table.add_rule();
  add("all", all);
  return table.to_string();
}

std::string summary_text(const ImportedNetwork& read) {
  std::string text = "read as: " + printable(read.recognised) + "\n";
  for (const std::string& one : read.left_out) text += "left out: " + printable(one) + "\n";
  for (const std::string& one : read.assumed) text += "assumed: " + printable(one) + "\n";
  return wrap_lines(text, output_width()) + "\n" + table_of(read.network) +
         fmt::format("of a step of batch {}\n", read.network.batch);
}

int import_file(const Arguments& arguments) {
  const std::string file = arguments.text(kCommon.file);
  Output output(arguments);
  const ImportedNetwork read = import_network(file, import_options_of(arguments));
  output.write(network_text(read.network, read.summary()));
  if (arguments.has(kCommon.output)) {
    write_data(summary_text(read));
    write_data(next_lines({"stcsim run", "--network " + shell_word(arguments.text(kCommon.output)),
                           "--arch a100", "--schemes asp,slope"},
                          output_width()));
  } else {
    write_message("stcsim import", read.summary());
  }
  return kExitFine;
}

struct ImportTable {
  Option output = kCommon.output.as("FILE", "write the network here, a summary to standard output")
                      .or_letter('o');
  Option batch = kCommon.batch.as("N", "samples per step");
  SizeOptions sizes;
};

}  // namespace

Command import_command() {
  return {"import",
          "Write a model of another program's file as a network",
          "FILE [-o NETWORK.yaml] [OPTIONS]",
          kImportNotes,
          {kCommon.file},
          options_of<ImportTable>(),
          &import_file};
}

}  // namespace stcsim
