#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/base/command.hpp"
#include "common/error.hpp"
#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using Words = std::vector<std::string>;

template <class Visit>
void for_each_option(const Visit& visit) {
  for (const CommandGroup& group : command_groups()) {
    for (const Command& command : group.commands) {
      for (const Option& option : command.options) visit(command, option);
    }
  }
}

std::string refusal_of(const Command& command, const Words& words) {
  try {
    static_cast<void>(Arguments(command.options, {}, words));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void give(Words& words, const Option& option) {
  words.push_back(option.spelled() + (*option.value == 0 ? "" : "=1"));
}

TEST(OptionTable, AnOptionIsRefusedWithoutTheOneThatItNeeds) {
  int rules = 0;
  for_each_option([&](const Command& command, const Option& option) {
    if (option.needed == nullptr) return;
    ++rules;
    Words words;
    give(words, option);
    EXPECT_THAT(
        refusal_of(command, words),
        testing::HasSubstr(option.spelled() + " has no effect without " + option.needed->spelled()))
        << command.name;
  });
  EXPECT_GE(rules, 30);
}

TEST(OptionTable, AnOptionIsRefusedBesideTheOneThatExcludesIt) {
  int rules = 0;
  for_each_option([&](const Command& command, const Option& option) {
    if (option.excluded == nullptr) return;
    ++rules;
    Words words;
    give(words, option);
    give(words, *option.excluded);
    EXPECT_THAT(refusal_of(command, words),
                testing::HasSubstr(option.spelled() + " " + option.excluded->refusal))
        << command.name;
  });
  EXPECT_GT(rules, 15);
}

TEST(OptionTable, ACommandHasWhatItsOptionsNeedAndEachOfItsNamesOnce) {
  for (const CommandGroup& group : command_groups()) {
    for (const Command& command : group.commands) {
      std::set<std::string> names;
      for (const Option& option : command.options) {
        EXPECT_TRUE(names.insert(option.name).second) << command.name << " " << option.name;
      }
      for (const Option& option : command.options) {
        if (option.needed != nullptr) {
          EXPECT_EQ(names.count(option.needed->name), 1);
        }
        if (option.excluded != nullptr) {
          EXPECT_EQ(names.count(option.excluded->name), 1);
        }
      }
    }
  }
}

/// How a command is called so that it comes to read --format.
const std::map<std::string, std::vector<Words>> kCalls{
    {"gemm", {{"--arch", "a100", "8", "8", "8"}}},
    {"gemm --energy", {{"--arch", "a100", "8", "8", "8"}}},
    {"explain", {{"--arch", "a100", "8", "8", "8"}}},
    {"run", {{"quick"}}},
    {"advise", {{"resnet50", "--arch", "a100"}}},
    {"compare", {{"a.json", "b.json"}}},
    {"check", {{"golden.json"}}},
    {"sweep",
     {{"plan", "selector_widths"},
      {"status", "selector_widths"},
      {"pareto", "selector_widths"},
      {"export", "selector_widths"}}},
    {"design", {{"one_of_eight"}}},
    {"patterns", {{"1:8", "--network", "resnet18", "--arch", "a100"}}},
    {"prune", {{"--scheme", "magnitude", "--pattern", "2:4", "--input", "normal:8x8"}}},
    {"tta", {{"tta_resnet9"}}},
    {"tta --curves-only", {{"run.csv"}}},
    {"evidence rows", {{}}},
    {"evidence trace", {{"step.json", "--arch", "a100"}}},
    {"list", {{}}},
    {"list machine", {{"a100"}}},
    {"list scheme", {{"asp"}}},
    {"list experiment", {{"quick"}}}};

Words words_in(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// What the command says it takes instead of a format that nobody has.
std::set<std::string> taken_by(const std::string& command, const Words& call) {
  Words words = words_in(command);
  words.insert(words.end(), call.begin(), call.end());
  words.emplace_back("--format=zzzzzzzz");
  const ProgramResult result = run_stcsim(words);
  const std::string mark = "--format is 'zzzzzzzz', must be one of ";
  const std::size_t at = result.err.find(mark);
  if (at == std::string::npos) ADD_FAILURE() << command << ": " << result.err;
  std::string list = at == std::string::npos ? "" : result.err.substr(at + mark.size());
  std::erase(list, ',');
  const Words all = words_in(list);
  return {all.begin(), all.end()};
}

TEST(OptionTable, TheFormatsInACommandsHelpAreThoseItTakes) {
  for_each_option([](const Command& command, const Option& option) {
    if (option.spelled() != "--format") return;
    ASSERT_EQ(kCalls.count(command.name), 1) << command.name;
    std::set<std::string> taken;
    for (const Words& call : kCalls.at(command.name)) taken.merge(taken_by(command.name, call));
    const Words said = option.words();
    EXPECT_EQ(taken, std::set<std::string>(said.begin(), said.end())) << command.name;
    EXPECT_THAT(command_help(command), testing::HasSubstr("--format " + std::string(option.value)));
  });
}

}  // namespace
}  // namespace stcsim
