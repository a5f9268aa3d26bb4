#include "common/io/worker_process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// An answer: one byte (1 = done, 0 = threw), eight bytes of length, the text.
constexpr std::size_t kHeaderBytes = 1 + sizeof(std::uint64_t);

bool write_all(int file, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_answer(int file, bool succeeded, const std::string& text) {
  const std::uint64_t size = text.size();
  std::string answer(1, succeeded ? '\1' : '\0');
  answer.append(reinterpret_cast<const char*>(&size), sizeof size);
  answer += text;
  return write_all(file, answer.data(), answer.size());
}

std::string reason_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "out of memory" : error.what();
}

/// A worker that cannot start answers every job with the reason.
JobWorkerFunction started(const StartJobWorker& start) {
  try {
    return start();
  } catch (const std::exception& error) {
    return [why = reason_of(error)](std::int64_t, const std::string&) -> std::string {
      throw SimulationError(why);
    };
  }
}

/// A job as it comes: its number, and the bytes of the text that follows.
struct JobHeader {
  std::int64_t job = 0;
  std::uint64_t text_bytes = 0;
};

bool read_job(int file, std::int64_t& job, std::string& text) {
  JobHeader header;
  if (!read_all(file, &header, sizeof header)) return false;
  job = header.job;
  text.resize(header.text_bytes);
  return read_all(file, text.data(), text.size());
}

/// The worker's life: jobs until the pipe is closed.
void serve_jobs(const StartJobWorker& start, int jobs, int answers) {
  JobWorkerFunction worker;
  std::int64_t job = 0;
  std::string given;
  while (read_job(jobs, job, given)) {
    std::string text;
    bool succeeded = true;
    try {
      if (!worker) worker = started(start);
      text = worker(job, given);
    } catch (const std::exception& error) {
      succeeded = false;
      text = reason_of(error);
    }
    if (!send_answer(answers, succeeded, text)) return;
  }
}

/// With the limit that a user can raise.
std::string why_no_pipe(int error_number) {
  std::string text = std::string("cannot make a pipe to a worker: ") + std::strerror(error_number);
  rlimit limit{};
  if (error_number == EMFILE && ::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    text += "; the system allows " + std::to_string(limit.rlim_cur) + " (ulimit -n)";
  }
  return text;
}

class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_.data()) == 0) return;
    throw SimulationError(why_no_pipe(errno));
  }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  /// These leave the end to the caller.
  [[nodiscard]] int take_read_end() { return std::exchange(ends_[0], -1); }
  [[nodiscard]] int take_write_end() { return std::exchange(ends_[1], -1); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// Whether descriptors are left to the rest of the program, which may open files while workers run.
/// @param last one that was just opened: numbers are given out from the lowest
bool leaves_descriptors(int last) {
  constexpr rlim_t kSpare = 8;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
         static_cast<rlim_t>(last) + kSpare < limit.rlim_cur;
}

/// Waits for the process to end, whatever signals arrive meanwhile; its status.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

WorkerProcess::WorkerProcess(const StartJobWorker& start, const std::vector<int>& inherited) {
  Pipe to_child;
  Pipe from_child;
  const bool is_first = inherited.empty();
  if (!is_first && !leaves_descriptors(from_child.write_end())) {
    throw SimulationError(why_no_pipe(EMFILE));
  }
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw SimulationError(std::string("cannot fork: ") + std::strerror(errno));
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::signal(SIGINT, SIG_IGN);  // the parent decides
    ::signal(SIGTERM, SIG_DFL);
    for (const int file : inherited) ::close(file);
    ::close(to_child.write_end());
    ::close(from_child.read_end());
    serve_jobs(start, to_child.read_end(), from_child.write_end());
    ::_exit(0);
  }
  jobs_ = to_child.take_write_end();
  answers_ = from_child.take_read_end();
}

WorkerProcess::~WorkerProcess() {
  ::close(jobs_);
  ::close(answers_);
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    wait_for(process_);
  }
}

bool WorkerProcess::give(std::int64_t job, std::string_view text) {
  job_ = job;
  received_.clear();
  const JobHeader header{job, text.size()};
  return write_all(jobs_, &header, sizeof header) && write_all(jobs_, text.data(), text.size());
}

WorkerProcess::State WorkerProcess::receive() {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(answers_, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return State::busy;
  if (got <= 0) return State::died;
  received_.append(buffer.data(), static_cast<std::size_t>(got));
  if (received_.size() < kHeaderBytes) return State::busy;
  std::uint64_t size = 0;
  std::memcpy(&size, received_.data() + 1, sizeof size);
  if (received_.size() < kHeaderBytes + size) return State::busy;
  succeeded_ = received_[0] != '\0';
  return State::answered;
}

std::string WorkerProcess::take_answer() {
  job_.reset();
  std::string text = received_.substr(kHeaderBytes);
  received_.clear();
  return text;
}

std::string WorkerProcess::cause_of_death() {
  const int status = wait_for(process_);
  process_ = -1;
  if (WIFSIGNALED(status)) {
    return std::string("the worker process was killed by signal ") +
           std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
  }
  return "the worker process ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace stcsim
