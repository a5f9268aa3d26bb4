#include "cli/base/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/next_command.hpp"
#include "common/io/suggestion.hpp"
#include "common/letter_case.hpp"

namespace stcsim {
namespace po = boost::program_options;
namespace {

constexpr std::size_t kMostWords = 10'000;
/// Boost's defaults without guessing from a prefix: "--arc" must not pass for "--arch".
constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

[[noreturn]] void refuse_unknown(const po::options_description& known, const std::string& token) {
  const std::string name = token.substr(0, token.find('='));
  std::vector<std::string> names;
  for (const auto& option : known.options()) names.push_back("--" + option->long_name());
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

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_optional(const std::string& plain) {
  return plain.starts_with("[");
}

bool takes_all(const std::string& plain) {
  return plain.ends_with("...");
}

/// What would be right where something is not there: " is missing" stands before it.
std::string_view example_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kExamples{
      {{"arch", ", e.g. --arch a100 ('stcsim list arch' shows all)"},
       {"A", ": two results, as in 'stcsim compare before.json now.json'"}}};
  const auto* const found = std::ranges::find(kExamples, name, [](auto& one) { return one.first; });
  return found == kExamples.end() ? "" : found->second;
}

[[noreturn]] void refuse_missing(const std::string& name) {
  throw ConfigError(fmt::format("{} is missing{}", spelled(name), example_of(name)));
}

/// A number, or a share of 100 with a percent sign.
std::optional<double> number_or_percent(const std::string& text) {
  if (!text.ends_with('%')) return finite_number(text);
  const std::optional<double> percent = finite_number(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

/// Without brackets or dots.
std::string bare_name(const std::string& plain) {
  const std::string one = takes_all(plain) ? plain.substr(0, plain.size() - 3) : plain;
  return is_optional(one) ? one.substr(1, one.size() - 2) : one;
}

}  // namespace

std::string spelled(const std::string& name) {
  const bool plain = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
  return plain ? name : "--" + name;
}

Arguments::Arguments(const po::options_description& options, const std::vector<std::string>& plain,
                     const std::vector<std::string>& words) {
  // Each word is taken from the front of all that follow.
  if (words.size() > kMostWords) {
    throw ConfigError(
        fmt::format("{} arguments are too many, must be {} at most", words.size(), kMostWords));
  }
  std::vector<std::string> given_plain;
  for (const po::option& option : parse(options, words)) {
    if (option.unregistered) refuse_unknown(options, option.original_tokens.front());
    if (option.string_key.empty()) {
      given_plain.push_back(option.value.front());
      continue;
    }
    check_value(option);
    const bool repeatable = options.find(option.string_key, false).semantic()->is_composing();
    std::vector<std::string>& values = values_[option.string_key];
    if (!values.empty() && !repeatable) {
      throw ConfigError(spelled(option.string_key) + " is given twice");
    }
    values.push_back(option.value.empty() ? "" : option.value.front());
  }
  take_plain(plain, given_plain);
}

void Arguments::take_plain(const std::vector<std::string>& plain,
                           const std::vector<std::string>& given) {
  for (std::size_t index = 0; index < plain.size(); ++index) {
    if (index < given.size()) {
      const auto first = given.begin() + static_cast<std::ptrdiff_t>(index);
      const bool all = takes_all(plain[index]);
      if (has(bare_name(plain[index]))) {
        throw ConfigError(fmt::format("{} is given twice, as '{}' too",
                                      spelled(bare_name(plain[index])), *first));
      }
      values_[bare_name(plain[index])] = {first, all ? given.end() : first + 1};
      if (all) return;
    } else if (!is_optional(plain[index])) {
      refuse_missing(bare_name(plain[index]));
    }
  }
  if (given.size() > plain.size()) {
    throw ConfigError(fmt::format("unexpected argument '{}'", given[plain.size()]));
  }
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Arguments::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) refuse_missing(name);
  if (found->second.front().empty()) throw ConfigError(spelled(name) + " is empty");
  return found->second.front();
}

std::string Arguments::text_or(const std::string& name, const std::string& fallback) const {
  return has(name) ? text(name) : fallback;
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t min, std::int64_t max) const {
  const std::optional<std::int64_t> value = whole_number(text(name));
  if (!value || *value < min || *value > max) {
    refuse(name, fmt::format("a whole number from {} to {}", min, max));
  }
  return *value;
}

std::int64_t Arguments::integer_or(const std::string& name, std::int64_t fallback, std::int64_t min,
                                   std::int64_t max) const {
  return has(name) ? integer(name, min, max) : fallback;
}

double Arguments::number(const std::string& name) const {
  const std::optional<double> value = finite_number(text(name));
  if (!value) refuse(name, "a finite number");
  return *value;
}

double Arguments::not_negative_or(const std::string& name, double fallback) const {
  if (!has(name)) return fallback;
  const std::optional<double> value = number_or_percent(text(name));
  if (!value || std::signbit(*value)) refuse(name, "a finite number from 0");
  return *value;
}

std::size_t Arguments::choose(const std::string& name,
                              const std::vector<std::string>& names) const {
  const std::string value = text(name);
  const auto found = std::find_if(names.begin(), names.end(), [&value](const std::string& known) {
    return same_but_case(known, value);
  });
  if (found == names.end()) {
    refuse(name, fmt::format("one of {}{}", fmt::join(names, ", "), did_you_mean(value, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> Arguments::again(std::initializer_list<const char*> names) const {
  std::vector<std::string> words;
  for (const std::string name : names) {
    const bool is_option = spelled(name) != name;
    for (const std::string& value : all(name)) {
      words.push_back(is_option ? spelled(name) : shell_word(value));
      if (is_option && !value.empty()) words.back() += " " + shell_word(value);
    }
  }
  return words;
}

void Arguments::refuse(const std::string& name, const std::string& right) const {
  throw ConfigError(fmt::format("{} is '{}', must be {}", spelled(name), text(name), right));
}

void Arguments::allow_only_if(bool condition, const std::string& name,
                              const std::string& why) const {
  if (has(name) && !condition) throw ConfigError(spelled(name) + " " + why);
}

}  // namespace stcsim
