#include "cli/base/arguments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <thread>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/format.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_value.hpp"
#include "common/suggestion.hpp"

namespace stcsim {

namespace po = boost::program_options;
namespace {

constexpr std::size_t kMostWords = 10'000;
/// Boost's defaults without guessing from a prefix: "--arc" must not pass for "--arch".
constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

[[noreturn]] void refuse_unknown(const Options& known, const std::string& token) {
  const std::string name = token.substr(0, token.find('='));
  std::vector<std::string> names;
  for (const Option& option : known) names.push_back(option.spelled());
  throw ConfigError(fmt::format("unknown option '{}'{}", name, did_you_mean(name, names)));
}

[[noreturn]] void refuse_syntax(const po::invalid_syntax& error) {
  const std::string name = error.get_option_name();
  if (error.kind() == po::invalid_syntax::extra_parameter) {
    throw ConfigError(name + " takes no value");
  }
  throw ConfigError(name + " needs a value");
}

std::vector<po::option> parse(const po::options_description& known,
                              const std::vector<std::string>& words) {
  try {
    return po::command_line_parser(words)
        .options(known)
        .style(kStyle)
        .allow_unregistered()
        .run()
        .options;
  } catch (const po::invalid_syntax& error) {
    refuse_syntax(error);
  } catch (const po::error& error) {
    throw ConfigError(error.what());
  }
}

/// An option's value in a word of its own that looks like an option was meant as one.
void check_value(const po::option& option) {
  const bool own_word = option.original_tokens.size() > 1;
  if (own_word && !option.value.empty() && option.value.front().starts_with("--")) {
    throw ConfigError(fmt::format("{} needs a value, not '{}'", option.original_tokens.front(),
                                  option.value.front()));
  }
}

[[noreturn]] void refuse_missing(const Option& option) {
  throw ConfigError(fmt::format("{} is missing{}", option.spelled(), option.example));
}

/// A number, or a share of 100 with a percent sign.
std::optional<double> number_or_percent(const std::string& text) {
  if (!text.ends_with('%')) return to_number(text);
  const std::optional<double> percent = to_number(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

}  // namespace

Arguments::Arguments(const Options& options, const Options& plain,
                     const std::vector<std::string>& words) {
  // Each word is taken from the front of all that follow.
  if (words.size() > kMostWords) {
    throw ConfigError(
        fmt::format("{} arguments are too many, must be {} at most", words.size(), kMostWords));
  }
  std::vector<std::string> given_plain;
  for (const po::option& option : parse(described(options), words)) {
    if (option.unregistered) refuse_unknown(options, option.original_tokens.front());
    if (option.string_key.empty()) {
      given_plain.push_back(option.value.front());
      continue;
    }
    check_value(option);
    const Option& known = *std::ranges::find(options, option.string_key, &Option::name);
    std::vector<std::string>& values = values_[option.string_key];
    if (!values.empty() && !known.repeats) {
      throw ConfigError(known.spelled() + " is given twice");
    }
    values.push_back(option.value.empty() ? "" : option.value.front());
  }
  take_plain(plain, given_plain);
  check(options);
}

void Arguments::check(const Options& options) const {
  for (const Option& option : options) {
    if (option.needed != nullptr) {
      allow_only_if(has(*option.needed), option,
                    "has no effect without " + option.needed->spelled());
    }
    if (option.excluded != nullptr) {
      allow_only_if(!has(*option.excluded), option, option.excluded->refusal);
    }
  }
}

void Arguments::take_plain(const Options& plain, const std::vector<std::string>& given) {
  for (std::size_t index = 0; index < plain.size(); ++index) {
    const Option& argument = plain[index];
    if (index < given.size()) {
      const auto first = given.begin() + static_cast<std::ptrdiff_t>(index);
      if (has(argument)) {
        throw ConfigError(
            fmt::format("{} is given twice, as '{}' too", argument.spelled(), *first));
      }
      values_[argument.name] = {first, argument.repeats ? given.end() : first + 1};
      if (argument.repeats) return;
    } else if (!argument.is_optional) {
      refuse_missing(argument);
    }
  }
  if (given.size() > plain.size()) {
    throw ConfigError(fmt::format("unexpected argument '{}'", given[plain.size()]));
  }
}

std::vector<std::string> Arguments::all(const Option& option) const {
  const auto found = values_.find(option.name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Arguments::text(const Option& option) const {
  const auto found = values_.find(option.name);
  if (found == values_.end()) refuse_missing(option);
  if (found->second.front().empty()) throw ConfigError(option.spelled() + " is empty");
  return found->second.front();
}

std::string Arguments::text_or(const Option& option, const std::string& fallback) const {
  return has(option) ? text(option) : fallback;
}

std::int64_t Arguments::integer(const Option& option, std::int64_t min, std::int64_t max) const {
  const std::optional<std::int64_t> value = to_whole_number(text(option));
  if (!value || *value < min || *value > max) {
    refuse(option, fmt::format("a whole number from {} to {}", min, max));
  }
  return *value;
}

std::int64_t Arguments::integer_or(const Option& option, std::int64_t fallback, std::int64_t min,
                                   std::int64_t max) const {
  return has(option) ? integer(option, min, max) : fallback;
}

double Arguments::number(const Option& option) const {
  const std::optional<double> value = to_number(text(option));
  if (!value) refuse(option, "a finite number");
  return *value;
}

double Arguments::not_negative_or(const Option& option, double fallback) const {
  if (!has(option)) return fallback;
  const std::optional<double> value = number_or_percent(text(option));
  if (!value || std::signbit(*value)) refuse(option, "a finite number from 0");
  return *value;
}

std::size_t Arguments::choose(const Option& option, const std::vector<std::string>& names) const {
  const std::string value = text(option);
  const auto found = std::find_if(names.begin(), names.end(), [&value](const std::string& known) {
    return same_but_case(known, value);
  });
  if (found == names.end()) {
    refuse(option, fmt::format("one of {}{}", fmt::join(names, ", "), did_you_mean(value, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t Arguments::choice(const Option& option) const {
  return has(option) ? choose(option, option.words()) : 0;
}

std::vector<std::string> Arguments::again(const Options& options) const {
  std::vector<std::string> words;
  for (const Option& option : options) {
    const bool is_plain = option.spelled() == option.name;
    for (const std::string& value : all(option)) {
      words.push_back(is_plain ? shell_word(value) : option.spelled());
      if (!is_plain && !value.empty()) words.back() += " " + shell_word(value);
    }
  }
  return words;
}

void Arguments::refuse(const Option& option, const std::string& right) const {
  throw ConfigError(fmt::format("{} is '{}', must be {}", option.spelled(), text(option), right));
}

void Arguments::allow_only_if(bool condition, const Option& option, const std::string& why) const {
  if (has(option) && !condition) throw ConfigError(option.spelled() + " " + why);
}

std::string Option::spelled() const {
  const bool is_plain = *name >= 'A' && *name <= 'Z';
  return is_plain ? name : "--" + std::string(name);
}

std::vector<std::string> Option::words() const {
  std::vector<std::string> all;
  std::istringstream text(value);
  for (std::string word; std::getline(text, word, '|');) all.push_back(word);
  return all;
}

po::options_description described(const Options& options) {
  po::options_description all("Options");
  for (const Option& option : options) {
    const std::string letter = option.letter == 0 ? "" : fmt::format(",{}", option.letter);
    const std::string name = option.name + letter;
    const std::string help = fmt::format(fmt::runtime(option.help), option.example);
    if (*option.value == 0) {
      all.add_options()(name.c_str(), help.c_str());
    } else if (option.repeats) {
      auto* const values = po::value<std::vector<std::string>>()->composing();
      all.add_options()(name.c_str(), values->value_name(option.value), help.c_str());
    } else {
      auto* const value = po::value<std::string>();
      all.add_options()(name.c_str(), value->value_name(option.value), help.c_str());
    }
  }
  return all;
}

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
  static const std::regex form("(dense[-+])([^-+].*?)(nats)?");
  const std::string text = arguments.text(kCommon.target);
  std::smatch parts;
  YamlNode number;
  number.kind = YamlKind::scalar;
  number.text = text;
  const bool is_loss = std::regex_match(text, parts, form);
  if (is_loss) number.text = parts[2];
  const std::optional<double> value = double_of(number);
  if (!value || !std::isfinite(*value)) {
    arguments.refuse(kCommon.target,
                     "a number, or so much worse than dense: dense-0.3 (points), dense+0.02nats");
  }
  return {text.starts_with("dense+") ? -*value : *value, is_loss};
}

}  // namespace stcsim
