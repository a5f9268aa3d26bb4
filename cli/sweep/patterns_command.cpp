#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/python_program.hpp"
#include "cli/run/experiment_options.hpp"
#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/pattern.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

using nlohmann::ordered_json;

constexpr const char* kPatternsNotes =
    "PATTERNS are n:m with ',' between them. Each is given to --arch, as wide as it is; then its\n"
    "parts are widened as long as a square millimetre brings more. A row says the gain before and\n"
    "after, area, energy, gates of the selector, and what loss of accuracy is published.\n\n"
    "  stcsim patterns 2:4,1:8,2:8,4:8 --network bert_large_s128 --arch a100\n"
    "  stcsim patterns 1:8,2:8 --network config.json --tokens 2048 --arch mine.yaml --html "
    "p.html\n";

/// Prunes weights in forward and dgrad of every network.
constexpr const char* kDefaultScheme = "bi-mask";
constexpr Option kPatterns{"PATTERNS"};

constexpr struct PatternsTable {
  Option network = kExperiment.network.as("NAME", "network whose products are sparse (required)");
  Option arch = kCommon.arch.as("NAME", "the machine");
  Option schemes = kCommon.schemes.as(
      "NAME",
      "scheme that makes them sparse, its pattern replaced (default bi-mask: weights, "
      "forward and dgrad)");
  Option dtype = kCommon.dtype.as("TYPE", "data type (default fp16)");
  Option batch = kCommon.batch.as("N", "samples per step (default: the network's own)");
  SizeOptions sizes;
  Option framework = kExperiment.framework.as(
      "NAME", "whose kernels run beside the products (default pytorch_2_eager)");
  Option clock = kCommon.clock.as("MHZ", "clock of all machines (default: that of --arch)");
  Option jobs = kCommon.jobs;
  Option format =
      kCommon.format.as("table|json", "form of the data on standard output (default table)");
  Option html = kCommon.html;
  Option svg = kCommon.svg;
} kPatternsTable;

/// A pattern with the multiplexers that take it in one pass.
ordered_json pattern_json(const Arguments& arguments, const std::string& text) {
  const auto pattern = operand_pattern_from_string(text);
  if (!pattern || pattern->is_dense() || pattern->selects_columns()) {
    arguments.refuse(kPatterns, "patterns n:m with ',' between them, e.g. 1:8,2:8,4:8");
  }
  const Pattern granules = pattern->of_granules();
  return {{"pattern", pattern->to_string()},
          {"at_most", static_cast<double>(pattern->m) / static_cast<double>(pattern->n)},
          {"lane_inputs", pattern->is_composed() ? pattern->granule : granules.m},
          {"block_inputs", pattern->is_composed() ? granules.m : 1}};
}

std::vector<std::string> next_words(const Arguments& arguments) {
  const bool has_page = arguments.has(kCommon.html);
  std::vector<std::string> words{has_page ? "stcsim run"
                                          : "stcsim patterns " + arguments.text(kPatterns)};
  for (const std::string& word :
       arguments.again({kExperiment.network, kCommon.arch, kCommon.dtype, kCommon.batch,
                        kSizes.tokens, kSizes.size, kExperiment.framework, kCommon.clock})) {
    words.push_back(word);
  }
  const std::string scheme = arguments.text_or(kCommon.schemes, kDefaultScheme);
  words.push_back(has_page ? fmt::format("--schemes {} --layers", scheme)
                           : fmt::format("--schemes {} --html patterns.html", scheme));
  return words;
}

/// What python/stcsim/patterns.py is asked: the step as an experiment, all names resolved.
int run_patterns(const Arguments& arguments) {
  constexpr std::size_t kWidth = 80;
  const Format format = format_of(arguments, kPatternsTable.format);
  ordered_json patterns = ordered_json::array();
  for (const std::string& text : comma_list(arguments, kPatterns)) {
    ordered_json one = pattern_json(arguments, text);
    if (std::ranges::find(patterns, one) == patterns.end()) patterns.push_back(std::move(one));
  }
  if (!arguments.has(kExperiment.network)) {
    throw ConfigError(
        "--network is missing: whose products are sparse ('stcsim list networks'), or a file, "
        "e.g. config.json");
  }
  const Experiment experiment = experiment_of(arguments);
  if (experiment.networks.size() != 1) arguments.refuse(kExperiment.network, "one network");
  if (experiment.machines.size() != 1) arguments.refuse(kCommon.arch, "one machine");
  const std::string scheme = arguments.text_or(kCommon.schemes, kDefaultScheme);
  if (scheme == kBaselineScheme || scheme.find_first_of(",:") != std::string::npos) {
    arguments.refuse(kCommon.schemes, "one scheme without a pattern, e.g. sdgp");
  }
  const ordered_json request{
      {"experiment", parse_json(experiment.resolved_config, "")},
      {"machine", name_from(fs::current_path(), ConfigKind::machine, arguments.text(kCommon.arch))},
      {"scheme", scheme},
      {"patterns", patterns},
      {"next", next_words(arguments)},
      {"jobs", jobs_of(arguments)},
      {"format", format == Format::json ? "json" : "table"},
      {"html", arguments.text_or(kCommon.html, "")},
      {"svg", arguments.text_or(kCommon.svg, "")},
      {"width", std::min(kWidth, output_width())}};
  become_python("stcsim.patterns", {}, request.dump());
}

}  // namespace

Command patterns_command() {
  return {"patterns",
          "Say what n:m patterns of a tensor core bring to a network, and what must be wider",
          "PATTERNS --network NAME --arch NAME [OPTIONS]",
          kPatternsNotes,
          {kPatterns},
          options_of<PatternsTable>(),
          &run_patterns};
}

}  // namespace stcsim
