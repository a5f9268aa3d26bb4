#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace stcsim {

/// How a program is started.
struct ProgramOptions {
  /// Stop it (and what it started) after this long.
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);
  std::filesystem::path working_directory = "/";
  /// Added to, or replacing, the test's own environment.
  std::vector<std::pair<std::string, std::string>> environment{};
  /// When not zero: send this signal to the program after `signal_after`, or later, as soon as
  /// `signal_when` is true.
  int signal = 0;
  std::chrono::milliseconds signal_after{0};
  std::function<bool()> signal_when = [] { return true; };
};

/// How a program ended.
struct ProgramResult {
  /// Exit code, or 128 + signal number if a signal ended it.
  int exit_code = 0;
  bool timed_out = false;
  /// Processes it had started were still there when it ended.
  bool left_processes = false;
  std::string out;
  std::string err;
};

/// Runs `program` with `arguments` and an empty standard input, and waits for it. Throws
/// std::system_error if it cannot be started.
[[nodiscard]] ProgramResult run_program(const std::filesystem::path& program,
                                        const std::vector<std::string>& arguments,
                                        const ProgramOptions& options = {});

/// run_program() of the stcsim that was built.
[[nodiscard]] ProgramResult run_stcsim(const std::vector<std::string>& arguments,
                                       const ProgramOptions& options = {});

/// An answer without the next command, which ends it.
[[nodiscard]] std::string without_next(const std::string& answer);

/// The program that was built.
[[nodiscard]] std::filesystem::path stcsim_program();

/// An empty directory that is removed, with what is in it, at the end of its life.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stcsim
