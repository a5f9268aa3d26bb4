#include "cli/base/command.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/base/output.hpp"
#include "common/error.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& name) {
  std::istringstream text(name);
  return {std::istream_iterator<std::string>(text), std::istream_iterator<std::string>()};
}

/// Whether the first words are there, and options somewhere; what follows "--" is no name.
bool is_named(const Command& command, const Words& words) {
  const Words name = words_of(command.name);
  const auto end = std::ranges::find(words, "--");
  return name.front() == words.front() &&
         std::all_of(name.begin() + 1, name.end(), [&](const std::string& word) {
           const auto at = std::find(words.begin() + 1, end, word);
           return at != end && (word.starts_with("-") || at == words.begin() + 1);
         });
}

/// First words of commands' names, and second ones of those that do nothing by their first alone.
Words known_after(const std::string& first) {
  Words known;
  for (const CommandGroup& group : command_groups()) {
    for (const Command& command : group.commands) {
      const Words name = words_of(command.name);
      if (first.empty()) known.push_back(name.front());
      if (name.front() == first && name.size() > 1) known.push_back(name[1]);
    }
  }
  return known;
}

[[noreturn]] void refuse_command(const Words& words) {
  Words names = known_after(words.front());
  if (!names.empty() && (words.size() == 1 || words[1].starts_with("-"))) {
    throw ConfigError(
        fmt::format("'{}' needs another word: {}", words.front(), fmt::join(names, ", ")));
  }
  std::string unknown = words.front();
  std::string hint;
  if (names.empty()) {
    names = known_after("");
    names.emplace_back("help");
    hint = did_you_mean(unknown, names);
  } else {
    hint = did_you_mean(words[1], names);
    unknown += " " + words[1];
  }
  throw ConfigError(fmt::format("unknown command '{}'{}", unknown,
                                hint.empty() ? "; 'stcsim --help' lists them" : hint));
}

}  // namespace

const Command& take_command(std::vector<std::string>& words) {
  const Command* found = nullptr;
  for (const CommandGroup& group : command_groups()) {
    for (const Command& command : group.commands) {
      const bool says_more =
          found == nullptr || words_of(command.name).size() > words_of(found->name).size();
      if (is_named(command, words) && says_more) found = &command;
    }
  }
  if (found == nullptr) refuse_command(words);
  for (const std::string& word : words_of(found->name)) {
    words.erase(std::ranges::find(words, word));
  }
  return *found;
}

std::string program_help() {
  std::string text =
      "Usage: stcsim COMMAND [OPTIONS]\n\n"
      "Simulates training on sparse tensor cores, cycle by cycle.\n";
  for (const CommandGroup& group : command_groups()) {
    text += fmt::format("\n{}:\n", group.title);
    for (const Command& command : group.commands) {
      text += fmt::format("  {:<18}{}\n", command.name, command.summary);
    }
  }
  return text +
         "\n'stcsim COMMAND --help' shows a command's options, 'stcsim --version' the version.\n"
         "Exit codes: 0 fine, 1 a check found a difference, 2 wrong option or configuration,\n"
         "3 a simulation failed, 130 and 143 interrupted.\n";
}

std::string command_help(const Command& command) {
  std::ostringstream options;
  options << described(command.options);
  std::string text = fmt::format("Usage: stcsim {} {}\n\n{}.\n\n{}", command.name, command.synopsis,
                                 command.summary, options.str());
  if (!command.notes.empty()) text += "\n" + command.notes;
  return text;
}

}  // namespace stcsim
