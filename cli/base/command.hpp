#pragma once

#include <string>
#include <vector>

#include "cli/base/arguments.hpp"

namespace stcsim {

/// A subcommand of the program.
struct Command {
  /// One word, or more for what a command does in another mode: "evidence rows", "gemm --energy".
  std::string name;
  /// One line for `stcsim --help`.
  std::string summary;
  /// How it is called, without "stcsim NAME".
  std::string synopsis;
  /// What its help says below the options: notes and examples.
  std::string notes;
  /// Plain arguments, see Arguments.
  Options plain;
  Options options;
  /// Runs it and returns the exit code.
  int (*run)(const Arguments&) = nullptr;

  /// How messages of the command begin: "stcsim gemm".
  [[nodiscard]] std::string who() const { return "stcsim " + name; }
};

/// Commands that belong together in the help.
struct CommandGroup {
  std::string title;
  std::vector<Command> commands;
};

/// All commands in the order of the help.
[[nodiscard]] const std::vector<CommandGroup>& command_groups();

/// The command whose name the first word begins and most of whose name's words are there; takes
/// these out of `words`.
/// @throws ConfigError with the nearest one suggested
[[nodiscard]] const Command& take_command(std::vector<std::string>& words);

/// Text of `stcsim --help`, and of `stcsim NAME --help`.
[[nodiscard]] std::string program_help();
[[nodiscard]] std::string command_help(const Command& command);

/// The commands, each in a file of its own.
[[nodiscard]] Command gemm_command();
[[nodiscard]] Command new_machine_command();
[[nodiscard]] Command explain_command();
[[nodiscard]] Command eval_command();
[[nodiscard]] Command fit_command();
[[nodiscard]] Command run_command();
[[nodiscard]] Command advise_command();
[[nodiscard]] Command import_command();
[[nodiscard]] Command list_command();
[[nodiscard]] Command list_experiment_command();
[[nodiscard]] Command list_machine_command();
[[nodiscard]] Command list_scheme_command();
[[nodiscard]] Command record_command();
[[nodiscard]] Command check_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command rows_command();
[[nodiscard]] Command trace_command();
[[nodiscard]] Command prune_command();
[[nodiscard]] Command curves_command();
[[nodiscard]] Command page_command();
[[nodiscard]] Command papers_command();
[[nodiscard]] Command tta_command();
[[nodiscard]] Command energy_command();
[[nodiscard]] Command train_command();
[[nodiscard]] Command sweep_command();
[[nodiscard]] Command design_command();
[[nodiscard]] Command patterns_command();

}  // namespace stcsim
