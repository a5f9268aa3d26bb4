#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/gemm_options.hpp"
#include "common/error.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Keys of a GEMM's configuration that are options of the same value.
constexpr std::array<std::pair<const char*, const char*>, 12> kRecordedOptions{
    {{"m", "m"},
     {"n", "n"},
     {"k", "k"},
     {"batch_count", "batch-count"},
     {"dtype", "dtype"},
     {"sparsity", "sparsity"},
     {"layout", "layout"},
     {"c_layout", "c-layout"},
     {"method", "method"},
     {"stack", "stack"},
     {"kernel_candidates", "candidates"},
     {"where", "where"}}};

/// Options that the GEMM's others leave no effect.
bool is_without_effect(const ordered_json& config, const std::string& key) {
  if (key == "stack") return config.at("kernel") != "auto";
  return key == "where" && config.at("sparsity") == "dense";
}

std::vector<std::string> words_of_recorded(const ordered_json& config) {
  std::vector<std::string> words{"--arch=" + config.at("machine").at("name").get<std::string>()};
  for (const auto& [key, option] : kRecordedOptions) {
    const auto value = config.find(key);
    if (value == config.end() || value->is_null() || *value == "") continue;
    if (is_without_effect(config, key)) continue;
    words.push_back(fmt::format("--{}={}", option,
                                value->is_string() ? value->get<std::string>() : value->dump()));
  }
  if (config.at("kernel") != "auto") {
    words.push_back("--kernel=" + config.at("kernel").get<std::string>());
  }
  if (config.at("values") == "zeros") words.emplace_back("--values=zeros");
  if (config.contains("sampled")) words.emplace_back("--sampled");
  if (config.contains("locked_clock_mhz")) {
    words.push_back(fmt::format("--clock={:.0f}", config.at("locked_clock_mhz").get<double>()));
  }
  return words;
}

/// @throws ConfigError for what the configuration names and does not hold
void check_is_recorded(const ordered_json& config, const std::string& origin) {
  if (config.contains("functional") && !config.at("functional").is_null()) {
    throw ConfigError(SourceLocation{origin},
                      "was run with --functional, whose values are not recorded: run it again with "
                      "`stcsim gemm`, and compare the two files");
  }
  if (config.contains("layer")) {
    throw ConfigError(SourceLocation{origin},
                      "is of a network's layer, of which the file has the name only: run it again "
                      "with `stcsim gemm --layer`, and compare the two files");
  }
  for (const char* const key : {"machine", "kernel", "sparsity", "values"}) {
    if (config.contains(key)) continue;
    throw ConfigError(SourceLocation{origin},
                      fmt::format("'config.{}' is missing: it cannot be run again", key));
  }
}

}  // namespace

GemmOptions recorded_gemm_options(const std::string& resolved_config, const std::string& origin,
                                  const std::vector<std::string>& overrides) {
  const ordered_json config = ordered_json::parse(resolved_config);
  check_is_recorded(config, origin);
  boost::program_options::options_description options;
  add_gemm_options(options);
  add_simulation_options(options);
  std::vector<std::string> words = words_of_recorded(config);
  for (const std::string& assignment : overrides) words.push_back("--set=" + assignment);
  return read_gemm_options(Arguments(options, {}, words),
                           parse_yaml(config.at("machine").dump(), origin).root);
}

}  // namespace stcsim
