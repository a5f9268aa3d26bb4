#include "sim/job/line_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "common/error.hpp"
#include "common/io/worker_process.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kLinesPerWorker = 64;
/// Processes that are kept: building a machine takes as long as several small GEMMs.
constexpr std::size_t kKeptProcesses = 8;

/// Lines of a file as they come.
class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  [[nodiscard]] bool has_ended() const { return has_ended_ && buffer_.empty(); }
  /// Whether a line is there without waiting for more.
  [[nodiscard]] bool has_line() const {
    return buffer_.find('\n') != std::string::npos || (has_ended_ && !buffer_.empty());
  }
  /// Of a line that is there. A long one is cut.
  [[nodiscard]] std::string take() {
    const std::size_t end = std::min(buffer_.find('\n'), buffer_.size());
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }
  /// Reads what has come.
  void read_more() {
    std::array<char, 65536> bytes{};
    const ssize_t got = ::read(file_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got < 0) throw ConfigError(std::string("cannot read the lines: ") + std::strerror(errno));
    has_ended_ = got == 0;
    std::string_view text(bytes.data(), static_cast<std::size_t>(got));
    const bool is_too_long = !has_line() && buffer_.size() > kLongestLine;
    if (is_too_long) text.remove_prefix(std::min(text.find('\n'), text.size()));
    buffer_ += text;
  }

 private:
  int file_;
  std::string buffer_;
  bool has_ended_ = false;
};

struct ServedLine {
  std::string text;
  std::string group;
  std::string answer = {};
  bool is_given = false;
  bool is_answered = false;
};

struct GroupWorker {
  std::unique_ptr<WorkerProcess> process;
  std::string group;

  [[nodiscard]] bool is_busy() const { return process->job().has_value(); }
};

class LineServer {
 public:
  LineServer(int input, const LineServerOptions& options)
      : input_(input), reader_(input), options_(options) {}

  void run() {
    while (is_wanted_) {
      while (has_room() && reader_.has_line()) add(reader_.take());
      while (busy() < static_cast<std::size_t>(options_.workers) && give_one()) {
      }
      flush();
      if (has_room() && reader_.has_line()) continue;
      if (lines_.empty() && reader_.has_ended()) return;
      if (is_wanted_) wait();
    }
  }

 private:
  [[nodiscard]] bool has_room() const {
    return lines_.size() < kLinesPerWorker * static_cast<std::size_t>(options_.workers);
  }
  [[nodiscard]] std::size_t busy() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(workers_, [](const GroupWorker& one) { return one.is_busy(); }));
  }

  void add(std::string text) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) return;
    ServedLine& line = lines_.emplace_back(ServedLine{std::move(text), ""});
    try {
      if (line.text.size() > kLongestLine) throw ConfigError("the line is longer than 1 MiB");
      line.group = options_.group_of(line.text);
    } catch (const std::exception& error) {
      fail(line, error.what());
    }
  }

  void fail(ServedLine& line, const std::string& why) {
    line.answer = options_.on_failure(line.text, why);
    line.is_answered = true;
  }

  /// Hands out the first line that a free worker is there for, else the first of all to a new one.
  bool give_one() {
    std::size_t first = lines_.size();
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      if (lines_[at].is_given || lines_[at].is_answered) continue;
      first = std::min(first, at);
      for (GroupWorker& worker : workers_) {
        if (!worker.is_busy() && worker.group == lines_[at].group) return give(worker, at);
      }
    }
    if (first == lines_.size()) return false;
    if (start_worker(first)) give(workers_.back(), first);
    return true;
  }

  bool give(GroupWorker& worker, std::size_t at) {
    lines_[at].is_given = true;
    if (worker.process->give(first_number_ + static_cast<std::int64_t>(at), lines_[at].text)) {
      return true;
    }
    // it has died since its last answer, and has not touched the line
    lines_[at].is_given = false;
    worker.process->take_back();
    remove(worker.process.get());
    return true;
  }

  bool start_worker(std::size_t at) {
    make_room();
    std::vector<int> inherited;
    for (const GroupWorker& worker : workers_) {
      inherited.push_back(worker.process->jobs());
      inherited.push_back(worker.process->answers());
    }
    const std::string group = lines_[at].group;
    const StartJobWorker start = [this, group]() -> JobWorkerFunction {
      return [work = options_.start_worker(group)](std::int64_t, const std::string& line) {
        return work(line);
      };
    };
    try {
      workers_.push_back({std::make_unique<WorkerProcess>(start, inherited), group});
    } catch (const SimulationError& error) {
      fail(lines_[at], error.what());
      return false;
    }
    return true;
  }

  /// Ends the process that has been free for longest if there are as many as are kept.
  void make_room() {
    const std::size_t kept = std::max(kKeptProcesses, static_cast<std::size_t>(options_.workers));
    if (workers_.size() < kept) return;
    const auto free =
        std::ranges::find_if(workers_, [](const auto& one) { return !one.is_busy(); });
    if (free != workers_.end()) workers_.erase(free);
  }

  void remove(const WorkerProcess* process) {
    std::erase_if(workers_, [&](const GroupWorker& one) { return one.process.get() == process; });
  }

  void wait() {
    std::vector<pollfd> files{{has_room() && !reader_.has_ended() ? input_ : -1, POLLIN, 0}};
    for (const GroupWorker& worker : workers_) {
      files.push_back({worker.is_busy() ? worker.process->answers() : -1, POLLIN, 0});
    }
    if (::poll(files.data(), files.size(), -1) <= 0) return;
    if (files.front().revents != 0) reader_.read_more();
    std::vector<WorkerProcess*> ready;
    for (std::size_t at = 1; at < files.size(); ++at) {
      if (files[at].revents != 0) ready.push_back(workers_[at - 1].process.get());
    }
    for (WorkerProcess* const process : ready) receive(process);
  }

  void receive(WorkerProcess* process) {
    const WorkerProcess::State state = process->receive();
    if (state == WorkerProcess::State::busy) return;
    ServedLine& line = lines_[static_cast<std::size_t>(*process->job() - first_number_)];
    if (state == WorkerProcess::State::died) {
      fail(line, process->cause_of_death());
      return remove(process);
    }
    const bool succeeded = process->succeeded();
    std::string text = process->take_answer();
    line.answer = succeeded ? std::move(text) : options_.on_failure(line.text, text);
    line.is_answered = true;
    // the last of them is the one that was busy last
    const auto at = std::ranges::find_if(
        workers_, [&](const GroupWorker& one) { return one.process.get() == process; });
    std::rotate(at, at + 1, workers_.end());
  }

  void flush() {
    std::string answers;
    while (!lines_.empty() && lines_.front().is_answered) {
      answers += lines_.front().answer + "\n";
      lines_.pop_front();
      ++first_number_;
    }
    if (!answers.empty()) is_wanted_ = options_.write(answers);
  }

  int input_;
  LineReader reader_;
  const LineServerOptions& options_;
  /// Not written yet; the number of the first of them.
  std::deque<ServedLine> lines_;
  std::int64_t first_number_ = 0;
  std::vector<GroupWorker> workers_;
  bool is_wanted_ = true;
};

}  // namespace

void serve_lines(int input, const LineServerOptions& options) {
  LineServer(input, options).run();
}

}  // namespace stcsim
