#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/output.hpp"
#include "common/error.hpp"
#include "common/io/problems.hpp"
#include "common/suggestion.hpp"
#include "common/version.hpp"
#include "sim/study/study.hpp"

namespace stcsim {
namespace {

using Words = std::vector<std::string>;

const std::string kProgram = "stcsim";

/// Prints a line of a ConfigError. One that begins with a place in a file stays as it is, so that
/// editors find the place.
void report_line(const std::string& who, const std::string& text) {
  constexpr std::string_view kMark = "error: ";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string::npos) {
    write_message(who + ": error", text);
  } else if (text.starts_with("--")) {
    write_message(who + ": error", text.substr(0, mark) + text.substr(mark + kMark.size()));
  } else if (mark > 0) {
    write_message(text.substr(0, mark - 2), text.substr(mark));
  } else {
    write_message(who, text);
  }
}

/// Of a path that the system refuses, wherever it was met: the user named it.
ConfigError refused_path(const std::filesystem::filesystem_error& error) {
  return ConfigError("cannot use '" + error.path1().string() + "': " + error.code().message());
}

/// Prints what an exception says; its exit code.
int report(const std::string& who, const std::exception& error, int exit_code) {
  if (const auto* const config = dynamic_cast<const ConfigError*>(&error)) {
    for (const std::string& line : lines_of(*config)) report_line(who, line);
  } else {
    write_message(who + ": error", cut_to_read(error.what()));
  }
  return exit_code;
}

/// Runs `action`, and turns exceptions into messages and exit codes.
template <class Action>
int guarded(const std::string& who, Action action) {
  try {
    return action();
  } catch (const StudyInterrupted& interrupted) {
    write_message(kProgram, interrupted.what());
    return interrupt_exit_code();
  } catch (const ConfigError& error) {
    return report(who, error, kExitUsage);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(who, refused_path(error), kExitUsage);
  } catch (const std::bad_alloc&) {
    write_message(who, "error: out of memory");
    return kExitFailed;
  } catch (const std::exception& error) {
    return report(who, error, kExitFailed);
  }
}

constexpr std::string_view kVersion = "version";

bool is_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

bool asks_for_help(const Words& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (is_help(word)) return true;
  }
  return false;
}

int print(const std::string& text) {
  write_data(text);
  return kExitFine;
}

void refuse_more_than(std::size_t count, const Words& words) {
  if (words.size() > count) throw ConfigError("unexpected argument '" + words[count] + "'");
}

/// What the program does without a command: help, version, and errors.
int run_without_command(const Words& words) {
  if (words.empty()) throw ConfigError("COMMAND is missing; 'stcsim --help' lists them");
  const std::string& first = words.front();
  if (first == "help" && words.size() > 1 && !is_help(words[1])) {
    Words topic(words.begin() + 1, words.end());
    const Command& command = take_command(topic);
    refuse_more_than(0, topic);
    return print(command_help(command));
  }
  if (first == "help" || is_help(first)) {
    refuse_more_than(first == "help" ? 2 : 1, words);
    return print(program_help());
  }
  if (first == "--version" || first == kVersion) {
    refuse_more_than(1, words);
    return print("stcsim " + std::string(program_version()) + "\n");
  }
  throw ConfigError("unknown option '" + first + "'" +
                    did_you_mean(first, {"--help", "--version"}));
}

int run_command_line(const Words& words) {
  if (words.empty() || words.front() == "help" || words.front() == kVersion ||
      words.front().starts_with("-")) {
    return guarded(kProgram, [&] { return run_without_command(words); });
  }
  return guarded(kProgram, [&] {
    Words rest = words;
    const Command& command = take_command(rest);
    return guarded(command.who(), [&] {
      if (asks_for_help(rest)) return print(command_help(command));
      return command.run(Arguments(command.options, command.plain, rest));
    });
  });
}

}  // namespace
}  // namespace stcsim

int main(int argc, char** argv) {
  stcsim::open_closed_streams();
  stcsim::handle_signals();
  return stcsim::run_command_line(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
