
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/eval/eval_line.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// @throws ConfigError for what the configuration names and does not hold
void check_is_recorded(const ordered_json& config, const std::string& origin) {
  const bool has_values = config.contains("functional") && !config.at("functional").is_null();
  if (!has_values && !config.contains("layer")) return;
  throw ConfigError(SourceLocation{origin},
                    fmt::format("has the name only of {}: run it again with `stcsim gemm`, and "
                                "compare the two files",
                                has_values ? "the values that it ran with (--functional)"
                                           : "the network whose layer it is"));
}

}  // namespace

GemmOptions recorded_gemm_options(const std::string& resolved_config, const std::string& origin,
                                  const std::vector<std::string>& overrides) {
  ordered_json config = parse_json(resolved_config, "the configuration");
  check_is_recorded(config, origin);
  const YamlDocument machine = parse_yaml(config.at("machine").dump(), origin);
  config["arch"] = config.at("machine").at("name");
  config["candidates"] = config.at("kernel_candidates");
  if (config.contains("locked_clock_mhz")) {
    config["clock"] = config.at("locked_clock_mhz").get<std::int64_t>();
  }
  config.erase(config.at("kernel") == "auto" ? "kernel" : "stack");
  if (config.at("sparsity") == "dense") config.erase("where");
  if (config.at("values") == "random") config.erase("values");
  // A line of `eval` has no method.
  const std::string method = config.at("method");
  for (const char* const key :
       {"machine", "functional", "kernel_candidates", "locked_clock_mhz", "method"}) {
    config.erase(key);
  }
  std::vector<std::string> words = read_eval_line(config.dump()).words;
  if (!method.empty()) words.push_back("--method=" + method);
  for (const std::string& assignment : overrides) words.push_back("--set=" + assignment);
  Options options = options_of<GemmTable>();
  const Options how = options_of<SimulationTable>();
  options.insert(options.end(), how.begin(), how.end());
  return read_gemm_options(Arguments(options, {}, words), machine.root);
}

}  // namespace stcsim
