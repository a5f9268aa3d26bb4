#include "tests/property/changed_fields.hpp"

#include <optional>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/field_list.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_value.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/stated_machine.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/own_process.hpp"

namespace stcsim::test {
namespace {

constexpr const char* kSm = "accelerator.sm.";

bool is_of_tensor_core(const std::string& path) {
  for (const char* const map : {"operand_selector.", "operand_fetch.", "tensor_core."}) {
    if (path.starts_with(std::string(kSm) + map)) return true;
  }
  return false;
}

/// A field's path with the first and the last index of the list that it is in.
std::vector<std::string> paths_of(const YamlNode& root, const std::string& path) {
  const std::size_t star = path.find(".*");
  if (star == std::string::npos) return {path};
  const YamlNode* const list = find_node(root, path.substr(0, star));
  if (list == nullptr || list->items.empty()) return {};
  std::vector<std::string> paths;
  for (const std::size_t at : {std::size_t{0}, list->items.size() - 1}) {
    paths.push_back(fmt::format("{}.{}{}", path.substr(0, star), at, path.substr(star + 2)));
  }
  return paths;
}

/// The value there, as set_value() finds it; nothing if it is left out.
std::optional<std::string> text_at(const YamlNode& root, const std::string& path) {
  const YamlNode* node = &root;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    node = node->is_list() ? &node->items.at(std::stoul(part)) : node->find(part);
    if (node == nullptr) return std::nullopt;
    begin = end + 1;
  }
  return node->text;
}

/// The words that a table's help puts between backquotes: the names that a text may be.
std::vector<std::string> words_of(std::string_view help) {
  std::vector<std::string> words;
  static const std::regex kWord("`([a-z]+)`");
  const std::string text(help);
  for (std::sregex_iterator word(text.begin(), text.end(), kWord), end; word != end; ++word) {
    words.push_back((*word)[1]);
  }
  return words;
}

std::vector<std::string> values_of_number(const Field& field,
                                          const std::optional<std::string>& now) {
  const std::int64_t value = now ? std::atoll(now->c_str()) : 0;
  std::vector<std::string> values;
  for (const std::int64_t one :
       {field.least, field.least + 3, std::int64_t{64}, value / 2, value * 2, field.most}) {
    if (one >= field.least && one <= field.most) values.push_back(std::to_string(one));
  }
  if (field.may_be_unlimited) values.emplace_back(kUnlimited);
  return values;
}

std::vector<std::string> names_of_types(const Field& field) {
  std::vector<std::string> names;
  for (const DataType type : field.types) names.emplace_back(to_string(type));
  return names;
}

/// Values of every kind that the field may have.
std::vector<std::string> values_of(const ListedField& listed,
                                   const std::optional<std::string>& now) {
  const Field& field = listed.field;
  if (listed.is_number) return values_of_number(field, now);
  if (!listed.names.empty()) return listed.names;
  if (field.unit == "text") return words_of(field.help);
  if (field.unit == "boolean") return {"true", "false"};
  if (field.unit == "data type") return names_of_types(field);
  if (field.unit == "data types") {
    std::vector<std::string> lists{fmt::format("[{}]", fmt::join(names_of_types(field), ", "))};
    for (const std::string& name : names_of_types(field)) lists.push_back("[" + name + "]");
    return lists;
  }
  if (field.unit == "pattern") return {"dense", "'1:2'", "'2:4'", "'1:8'", "'4:8 pairs'"};
  if (field.unit == "list of patterns") return {"[]", "['2:4']", "['1:8', '2:8']", "['4:32']"};
  if (field.unit == "list") return {"[]"};
  throw std::logic_error("no values for " + listed.path());
}

/// Dense GEMMs and sparse ones of every type that the machine multiplies.
std::vector<GemmProblem> problems_of(const MachineConfig& machine) {
  std::vector<GemmProblem> problems;
  for (const MultiplierRate& rate : machine.accelerator.sm.tensor_core.multipliers) {
    const std::vector<Pattern>& native =
        machine.accelerator.sm.operand_selector.patterns_of(rate.dtype);
    problems.push_back(make_problem(128, 128, 256, 1, rate.dtype));
    if (!native.empty())
      problems.push_back(make_problem(128, 128, 256, 1, rate.dtype, native.back()));
  }
  return problems;
}

void multiply(const MachineConfig& machine, bool simulates) {
  std::optional<MachineRunner> runner;
  if (simulates) runner.emplace(machine);
  for (const GemmProblem& problem : problems_of(machine)) {
    const KernelPolicy policy{"auto", 1, ""};
    if (simulates) {
      (void)run_gemm(*runner, problem, policy);
      continue;
    }
    std::vector<Pattern> hardware =
        sparsity_support(machine, problem.dtype, problem.a_pattern).patterns;
    if (hardware.empty() || may_run_dense(machine, policy)) hardware.push_back(kDense);
    (void)rank_kernels(machine, problem, hardware, policy);
  }
}

/// "" if it is answered, else why it is not.
std::string outcome_of(const YamlNode& machine, const std::string& change, bool simulates) {
  try {
    YamlNode changed = machine;
    apply_override(changed, change);
    multiply(read_machine(changed).config, simulates);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("failed: ") + error.what();
  }
}

/// The message says the key, alone or as in "m16n8k16", and nobody else's measurement.
bool is_own_refusal(const std::string& message, const std::string& path, const std::string& value) {
  const std::string key = path.substr(path.rfind('.') + 1);
  if (message.starts_with("failed: ")) return false;
  if (key != "interval_cycles" && message.find("interval_cycles") != std::string::npos)
    return false;
  return std::regex_search(message, std::regex(fmt::format("(\\b|[0-9]){}(\\b|{})", key, value)));
}

}  // namespace

std::vector<std::string> check_changed_fields(const std::string& machine, bool simulates,
                                              std::vector<std::string>& tried) {
  const YamlNode root = load_by_name(ConfigKind::machine, machine);
  std::vector<std::string> wrong;
  const auto check = [&](const std::string& path, const std::string& value) {
    const std::string change = path + "=" + value;
    tried.push_back(change);
    const std::string outcome = simulates
                                    ? in_own_process([&] { return outcome_of(root, change, true); })
                                    : outcome_of(root, change, false);
    if (outcome.empty() || is_own_refusal(outcome, path, value)) return;
    wrong.push_back(fmt::format("--arch {} --set {}: {}", machine, change, outcome));
  };
  for (const ListedField& listed : list_fields<MachineConfig>()) {
    if (!is_of_tensor_core(listed.path())) continue;
    for (const std::string& path : paths_of(root, listed.path())) {
      for (const std::string& value : values_of(listed, text_at(root, path))) check(path, value);
    }
  }
  return wrong;
}

}  // namespace stcsim::test
