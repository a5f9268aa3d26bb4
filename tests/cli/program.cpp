#include "tests/cli/program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stcsim {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Both ends are closed in programs started later.
struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

/// In the child: becomes the program, or reports errno through `failure` and ends.
[[noreturn]] void become(const std::vector<char*>& argv, const ProgramOptions& options,
                         const Pipe& out, const Pipe& err, const Pipe& failure) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out.write_end, STDOUT_FILENO) >= 0 &&
      dup2(err.write_end, STDERR_FILENO) >= 0 && chdir(options.working_directory.c_str()) == 0) {
    unsetenv("STCSIM_CONFIG_DIR");  // the program finds its configurations by itself
    for (const auto& [name, value] : options.environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    execv(argv.front(), argv.data());
  }
  const int error = errno;
  const ssize_t written = write(failure.write_end, &error, sizeof(error));
  _exit(written == static_cast<ssize_t>(sizeof(error)) ? 127 : 126);
}

pid_t start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const ProgramOptions& options, Pipe& out, Pipe& err) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Pipe failure;
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(argv, options, out, err, failure);
  setpgid(child, child);  // here too: whoever comes first
  for (Pipe* pipe : {&out, &err, &failure}) Pipe::close_end(pipe->write_end);
  int error = 0;
  if (read(failure.read_end, &error, sizeof(error)) == static_cast<ssize_t>(sizeof(error))) {
    waitpid(child, nullptr, 0);
    errno = error;
    fail("cannot start " + program.string());
  }
  return child;
}

/// Appends what can be read now; closes the end at the end of the stream.
void drain(int& end, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(end, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    Pipe::close_end(end);
  }
}

/// Waits up to `limit` for output of the program and takes it.
void read_some(Pipe& out, Pipe& err, ProgramResult& result, std::chrono::milliseconds limit) {
  std::array<pollfd, 2> ends{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  poll(ends.data(), ends.size(), static_cast<int>(limit.count()));
  if (ends[0].revents != 0) drain(out.read_end, result.out);
  if (ends[1].revents != 0) drain(err.read_end, result.err);
}

/// A child of ours, and how it ended.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}

  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] bool ended() const { return ended_; }

  /// Takes note if it has ended. @param flags WNOHANG, or 0 to wait for it
  void look(int flags, ProgramResult& result) {
    if (ended_) return;
    int status = 0;
    const pid_t changed = waitpid(id_, &status, flags);
    if (changed < 0 && errno != EINTR) fail("waitpid");
    if (changed != id_) return;
    ended_ = true;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.left_processes = kill(-id_, 0) == 0;
  }

 private:
  pid_t id_;
  bool ended_ = false;
};

/// Collects output until both streams end, delivering the signal and the time limit on the way.
void supervise(Child& child, const ProgramOptions& options, Pipe& out, Pipe& err,
               ProgramResult& result) {
  const Clock::time_point started = Clock::now();
  bool signal_due = options.signal != 0;
  while (out.read_end >= 0 || err.read_end >= 0) {
    const Clock::duration elapsed = Clock::now() - started;
    if (signal_due && !child.ended() && elapsed >= options.signal_after && options.signal_when()) {
      kill(child.id(), options.signal);
      signal_due = false;
    }
    if (!result.timed_out && elapsed >= options.time_limit) {
      kill(-child.id(), SIGKILL);
      result.timed_out = true;
    }
    read_some(out, err, result, std::chrono::milliseconds(20));
    child.look(WNOHANG, result);
  }
  while (!child.ended()) child.look(0, result);
}

}  // namespace

ProgramResult run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const ProgramOptions& options) {
  Pipe out;
  Pipe err;
  Child child(start(program, arguments, options, out, err));
  ProgramResult result;
  supervise(child, options, out, err, result);
  return result;
}

ProgramResult run_stcsim(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  return run_program(stcsim_program(), arguments, options);
}

std::string without_next(const std::string& answer) {
  const std::size_t next = answer.rfind("\nnext: stcsim ");
  return next == std::string::npos ? answer : answer.substr(0, next + 1);
}

std::filesystem::path stcsim_program() {
  return STCSIM_PROGRAM;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "stcsim-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("mkdtemp " + name);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace stcsim
