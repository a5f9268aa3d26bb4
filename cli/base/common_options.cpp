#include "cli/base/common_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>

#include "common/io/csv_table.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_value.hpp"
#include "common/letter_case.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMaxJobs = 1024;

std::int64_t available_cores() {
  return std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, kMaxJobs);
}

}  // namespace

std::vector<std::string> batch_overrides(const Arguments& arguments) {
  if (!arguments.has(kCommon.batch)) return {};
  return {"batch=" + std::to_string(arguments.integer(kCommon.batch, 1, kMaxBatch))};
}

ImportOptions import_options_of(const Arguments& arguments) {
  constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;
  ImportOptions options;
  if (arguments.has(kCommon.batch)) options.batch = arguments.integer(kCommon.batch, 1, kMaxBatch);
  if (arguments.has(kSizes.tokens)) {
    options.tokens = arguments.integer(kSizes.tokens, 1, kMostTokens);
  }
  for (const std::string& text : arguments.all(kSizes.size)) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::int64_t value =
        to_whole_number(std::string_view(text).substr(std::min(equals + 1, text.size())))
            .value_or(0);
    if (equals == 0 || value < 1 || value > kMostTokens) {
      arguments.refuse(kSizes.size, "NAME=N with N from 1 to 2^24, such as batch=32");
    }
    options.sizes[text.substr(0, equals)] = value;
  }
  return options;
}

std::vector<std::string> comma_list(const Arguments& arguments, const Option& option) {
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
  const std::string text = arguments.text(kCommon.dtype);
  for (const auto& [name, type] : kFrameworkNames) {
    if (same_but_case(text, name)) return type;
  }
  if (same_but_case(text, "fp32") || same_but_case(text, "float32")) {
    arguments.refuse(kCommon.dtype, "tf32, which tensor cores run fp32 as, or fp16 or bf16");
  }
  if (same_but_case(text, "fp8") || same_but_case(text, "float8")) {
    arguments.refuse(kCommon.dtype, "fp8_e4m3, or fp8_e5m2, whose range gradients need");
  }
  if (same_but_case(text, "fp4")) arguments.refuse(kCommon.dtype, "nvfp4");
  std::vector<std::string> names;
  for (const DataType type : operand_data_types()) names.emplace_back(to_string(type));
  return operand_data_types().at(arguments.choose(kCommon.dtype, names));
}

std::int64_t jobs_of(const Arguments& arguments) {
  if (arguments.text_or(kCommon.jobs, "") == "auto") return available_cores();
  return arguments.integer_or(kCommon.jobs, 1, 1, kMaxJobs);
}

std::uint64_t seed_of(const Arguments& arguments) {
  return static_cast<std::uint64_t>(
      arguments.integer_or(kCommon.seed, 1, 0, std::numeric_limits<std::int64_t>::max()));
}

bool fast_forward_of(const Arguments& arguments) {
  return arguments.choice(kCommon.fast_forward) == 0;
}

Format format_of(const Arguments& arguments, const Option& option) {
  constexpr std::array<std::pair<std::string_view, Format>, 8> kNames{
      {{"table", Format::table},
       {"text", Format::table},
       {"json", Format::json},
       {"csv", Format::csv},
       {"markdown", Format::markdown},
       {"yaml", Format::yaml},
       {"junit", Format::junit},
       {"schema", Format::schema}}};
  const std::string name = option.words().at(arguments.choice(option));
  return std::ranges::find(kNames, name, [](const auto& one) { return one.first; })->second;
}

AccuracyTarget accuracy_target_of(const Arguments& arguments) {
  constexpr std::string_view kBelow = "dense-";
  const std::string text = arguments.text(kCommon.target);
  const bool is_loss = text.starts_with(kBelow);
  YamlNode number;
  number.kind = YamlKind::scalar;
  number.text = text.substr(is_loss ? kBelow.size() : 0);
  const std::optional<double> value = double_of(number);
  if (!value || !std::isfinite(*value) || (is_loss && *value < 0)) {
    arguments.refuse(kCommon.target, "a number, or dense- and points from 0 on: dense-0.3");
  }
  return {*value, is_loss};
}

}  // namespace stcsim
