#include "cli/eval/eval_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/base/arguments.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/run/experiment_options.hpp"
#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using Kind = EvalLine::Kind;

/// What errors call a line, in place of a file.
constexpr std::string_view kLine = "the line";

/// Keys that are not called as the option.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOptionNames{
    {{"pattern", "sparsity"}, {"scheme", "schemes"}}};

/// A value as a command line would have it; lists with ',' between.
std::string text_of_value(const std::string& key, const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const ordered_json& item : value) {
    if (item.is_structured()) throw ConfigError(fmt::format("'{}' is a list of lists", key));
    text += (text.empty() ? "" : ",") + text_of_value(key, item);
  }
  return text;
}

std::string option_of(std::string_view key, Kind kind) {
  std::string name(key);
  for (const auto& [known, option] : kOptionNames) {
    const bool is_of_layer = known == "scheme" && kind == Kind::gemm;
    if (key == known && !is_of_layer) name = option;
  }
  std::ranges::replace(name, '_', '-');
  return name;
}

std::vector<std::string> assignments(const ordered_json& set) {
  if (!set.is_object()) {
    throw ConfigError("'set' must be an object, e.g. {\"accelerator.num_sms\": 64}");
  }
  std::vector<std::string> all;
  for (const auto& [key, value] : set.items()) {
    all.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return all;
}

/// The kind of a line that has one of these keys; others are GEMMs.
constexpr std::array<std::pair<std::string_view, Kind>, 8> kMarks{
    {{"instruction", Kind::instruction},
     {"op", Kind::stream},
     {"attention", Kind::attention},
     {"collective", Kind::collective},
     {"network", Kind::step},
     {"profile", Kind::step},
     {"experiment", Kind::step},
     {"space", Kind::design}}};

/// The keys that lines of a kind may have: options as JSON writes them, and what is no option.
std::vector<std::string> known_keys(Kind kind) {
  std::vector<std::string> keys{"id", "set", "arch", "experiment", "space", "pattern", "scheme"};
  for (const Option& option : line_options(kind)) {
    keys.emplace_back(option.name);
    std::ranges::replace(keys.back(), '-', '_');
  }
  return keys;
}

/// @throws ConfigError if lines of the kind have no such key
void check_key(const std::string& key, Kind kind) {
  static const std::vector<std::vector<std::string>> kKnown = [] {
    std::vector<std::vector<std::string>> known;
    for (const Kind one : {Kind::gemm, Kind::instruction, Kind::stream, Kind::attention,
                           Kind::collective, Kind::step}) {
      known.push_back(known_keys(one));
    }
    return known;
  }();
  if (kind == Kind::design) return;
  const std::vector<std::string>& known = kKnown.at(static_cast<std::size_t>(kind));
  std::string name = key;
  std::ranges::replace(name, '-', '_');
  if (std::ranges::find(known, name) != known.end()) return;
  throw ConfigError(fmt::format("unknown option '{}'{}", key, did_you_mean(name, known)));
}

void take_key(EvalLine& line, const std::string& key, const ordered_json& value) {
  check_key(key, line.kind);
  if (key == "id" || value.is_null() || value == false) return;
  if (key == "set") {
    line.set = assignments(value);
  } else if (key == "experiment" && value.is_object()) {
    line.experiment = value.dump();
  } else if (value == true) {
    line.words.push_back("--" + option_of(key, line.kind));
  } else if (value.is_object()) {
    throw ConfigError(fmt::format("'{}' must be a number, a text or a list", key));
  } else if (key == "experiment" || key == "space") {
    line.name = text_of_value(key, value);
  } else {
    line.words.push_back(
        fmt::format("--{}={}", option_of(key, line.kind), text_of_value(key, value)));
  }
}

}  // namespace

std::string EvalLine::group() const {
  if (!is_of_machine()) return "";
  std::string text = name;
  for (const std::string& assignment : set) text += '\n' + assignment;
  return text;
}

EvalLine read_eval_line(const std::string& text) {
  const ordered_json json = parse_json(text, std::string(kLine));
  if (!json.is_object()) throw ConfigError(fmt::format("{} must be a JSON object", kLine));
  EvalLine line;
  for (const auto& [key, kind] : kMarks) {
    if (json.contains(key)) line.kind = kind;
  }
  if (json.contains("id")) line.id = json.at("id");
  for (const auto& [key, value] : json.items()) take_key(line, key, value);
  if (line.is_of_machine()) {
    if (!json.contains("arch") || !json.at("arch").is_string()) {
      throw ConfigError("'arch' is missing: the machine's name, or a file");
    }
    line.name = json.at("arch").get<std::string>();
  } else if (line.kind == Kind::design && !line.words.empty()) {
    throw ConfigError(line.words.front() + " does not go with 'space', which has its work");
  } else if (!line.name.empty() && line.kind == Kind::step) {
    line.words.push_back(line.name);
  }
  for (const std::string& assignment : line.set) {
    if (line.kind == Kind::step) line.words.push_back("--set=" + assignment);
  }
  return line;
}

ordered_json id_of_line(const std::string& text) {
  const ordered_json json = try_parse_json(text);
  return json.is_object() && json.contains("id") ? json.at("id") : ordered_json();
}

std::string message_of_line(std::string text) {
  constexpr std::string_view kMark = "error: ";
  const std::size_t mark = text.find(kMark);
  if (mark == 0 || (mark != std::string::npos && text.starts_with(kLine))) {
    text.erase(mark, kMark.size());
  }
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    text.erase(at, 2);
  }
  return text;
}

Options line_options(Kind kind) {
  if (kind == Kind::instruction) return options_of<InstructionTable>();
  if (kind == Kind::stream) return options_of<StreamTable>();
  if (kind == Kind::attention) return options_of<AttentionTable>();
  if (kind == Kind::collective) return options_of<CollectiveTable>();
  if (kind == Kind::step) return options_of<StepTable>();
  if (kind == Kind::design) return {};
  Options options = options_of<GemmTable>();
  for (const Option& option : options_of<SimulationTable>()) {
    if (option.in_eval) options.push_back(option);
  }
  return options;
}

}  // namespace stcsim
