#include "cli/command.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/suggestion.hpp"

namespace stcsim {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      gemm_command(),   explain_command(), cost_command(),  run_command(),      list_command(),
      config_command(), record_command(),  check_command(), validate_command(), prune_command(),
      train_command(),  curves_command(),  tta_command(),   claims_command(),   reproduce_command(),
      sweep_command(),  design_command(),  report_command()};
  return all;
}

const Command& find_command(const std::string& name) {
  const std::vector<Command>& all = commands();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Command& command) { return command.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names{"help"};
  for (const Command& command : all) names.push_back(command.name);
  const std::string hint = did_you_mean(name, names);
  throw ConfigError(fmt::format("unknown command '{}'{}", name,
                                hint.empty() ? "; 'stcsim --help' lists them" : hint));
}

std::string program_help() {
  std::string text =
      "Usage: stcsim COMMAND [OPTIONS]\n\n"
      "Simulates training on sparse tensor cores, cycle by cycle.\n\nCommands:\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  }
  return text +
         "  help      Show the help of a command\n\n"
         "'stcsim COMMAND --help' shows a command's options, 'stcsim --version' the version.\n"
         "Exit codes: 0 fine, 1 a check found a difference, 2 wrong option or configuration,\n"
         "3 a simulation failed, 130 and 143 interrupted.\n";
}

std::string command_help(const Command& command) {
  std::ostringstream options;
  options << command.options;
  std::string text = fmt::format("Usage: stcsim {} {}\n\n{}.\n\n{}", command.name, command.synopsis,
                                 command.summary, options.str());
  if (!command.notes.empty()) text += "\n" + command.notes;
  return text;
}

}  // namespace stcsim
