#include "cli/base/common_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <thread>

#include <boost/program_options/value_semantic.hpp>

#include "common/io/text_file.hpp"
#include "common/io/yaml_value.hpp"
#include "common/letter_case.hpp"

namespace stcsim {
namespace po = boost::program_options;
namespace {

constexpr std::int64_t kMaxJobs = 1024;

std::int64_t available_cores() {
  return std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, kMaxJobs);
}

}  // namespace

void add_option(po::options_description& options, const char* name, const char* value,
                const char* description) {
  options.add_options()(name, po::value<std::string>()->value_name(value), description);
}

void add_set_option(po::options_description& options, const std::string& example) {
  const std::string description =
      "replace a value of the configuration, e.g. " + example + "; may be repeated";
  options.add_options()("set",
                        po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
                        description.c_str());
}

void add_jobs_option(po::options_description& options) {
  add_option(options, "jobs", "N", "worker processes, or 'auto' for all cores (default 1)");
}

void add_fast_forward_option(po::options_description& options) {
  add_option(options, "fast-forward", "on|off",
             "skip what recurs in a simulated kernel; the figures stay the same (default on)");
}

void add_html_option(po::options_description& options) {
  add_option(options, "html", "FILE", "also write a page of it, to open in a browser");
}

std::vector<std::string> batch_overrides(const Arguments& arguments) {
  if (!arguments.has("batch")) return {};
  return {"batch=" + std::to_string(arguments.integer("batch", 1, kMaxBatch))};
}

void add_import_options(boost::program_options::options_description& options) {
  add_option(options, "tokens", "N", "tokens of a sample of an imported model");
  options.add_options()(
      "size",
      boost::program_options::value<std::vector<std::string>>()->composing()->value_name("NAME=N"),
      "a size that an imported file only names: a dimension of an ONNX graph, "
      "'masked' or 'target' tokens; may be repeated");
}

ImportOptions import_options_of(const Arguments& arguments) {
  constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;
  ImportOptions options;
  if (arguments.has("batch")) options.batch = arguments.integer("batch", 1, kMaxBatch);
  if (arguments.has("tokens")) options.tokens = arguments.integer("tokens", 1, kMostTokens);
  for (const std::string& text : arguments.all("size")) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const bool is_pair = equals != std::string::npos && equals > 0;
    const bool is_number =
        is_pair && std::from_chars(text.data() + equals + 1, end, value).ptr == end;
    if (!is_number || value < 1 || value > kMostTokens) {
      arguments.refuse("size", "NAME=N with N from 1 to 2^24, such as batch=32");
    }
    options.sizes[text.substr(0, equals)] = value;
  }
  return options;
}

std::vector<std::string> comma_list(const Arguments& arguments, const std::string& option) {
  const std::string text = arguments.text(option);
  if (!is_utf8(text)) arguments.refuse(option, "text in UTF-8");
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) arguments.refuse(option, "names with ',' between them");
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

DataType dtype_given(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, DataType>, 3> kFrameworkNames{
      {{"float16", DataType::fp16}, {"half", DataType::fp16}, {"bfloat16", DataType::bf16}}};
  const std::string text = arguments.text("dtype");
  for (const auto& [name, type] : kFrameworkNames) {
    if (same_but_case(text, name)) return type;
  }
  if (same_but_case(text, "fp32") || same_but_case(text, "float32")) {
    arguments.refuse("dtype", "tf32, which tensor cores run fp32 as, or fp16 or bf16");
  }
  if (same_but_case(text, "fp8") || same_but_case(text, "float8")) {
    arguments.refuse("dtype", "fp8_e4m3, or fp8_e5m2, whose range gradients need");
  }
  if (same_but_case(text, "fp4")) arguments.refuse("dtype", "nvfp4");
  std::vector<std::string> names;
  for (const DataType type : operand_data_types()) names.emplace_back(to_string(type));
  return operand_data_types().at(arguments.choose("dtype", names));
}

std::int64_t jobs_of(const Arguments& arguments) {
  if (arguments.text_or("jobs", "") == "auto") return available_cores();
  return arguments.integer_or("jobs", 1, 1, kMaxJobs);
}

bool fast_forward_of(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, bool>, 2> kSwitch{
      {{"on", true}, {"off", false}}};
  return arguments.choice_or("fast-forward", true, kSwitch);
}

Format format_of(const Arguments& arguments, const std::vector<Format>& known) {
  constexpr std::array<const char*, 6> kNames{"table", "json", "csv", "markdown", "yaml", "junit"};
  if (!arguments.has("format")) return known.front();
  std::vector<std::string> names;
  for (const Format format : known) names.emplace_back(kNames.at(static_cast<std::size_t>(format)));
  return known.at(arguments.choose("format", names));
}

AccuracyTarget accuracy_target_of(const Arguments& arguments) {
  constexpr std::string_view kBelow = "dense-";
  const std::string text = arguments.text("target");
  const bool is_loss = text.starts_with(kBelow);
  YamlNode number;
  number.kind = YamlKind::scalar;
  number.text = text.substr(is_loss ? kBelow.size() : 0);
  const std::optional<double> value = double_of(number);
  if (!value || !std::isfinite(*value) || (is_loss && *value < 0)) {
    arguments.refuse("target", "a number, or dense- and points from 0 on: dense-0.3");
  }
  return {*value, is_loss};
}

}  // namespace stcsim
