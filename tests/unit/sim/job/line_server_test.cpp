#include "sim/job/line_server.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// What a pipe brings, or takes.
struct LinePipe {
  int read_end = -1;
  int write_end = -1;

  LinePipe() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    read_end = ends[0];
    write_end = ends[1];
  }
  ~LinePipe() {
    end();
    ::close(read_end);
  }
  LinePipe(const LinePipe&) = delete;
  LinePipe& operator=(const LinePipe&) = delete;

  void put(const std::string& text) const {
    EXPECT_EQ(::write(write_end, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (write_end >= 0) ::close(write_end);
    write_end = -1;
  }
};

/// Answers "GROUP: LINE by PROCESS"; lines are "a 1": a group and a text. "die" and "throw" do.
LineServerOptions echo(std::int64_t workers, std::string& answers) {
  LineServerOptions options;
  options.workers = workers;
  options.group_of = [](const std::string& line) -> std::string {
    if (line == "no group") throw ConfigError("no group is known");
    return line.substr(0, 1);
  };
  options.start_worker = [](const std::string& group) {
    if (group == "x") throw ConfigError("cannot be built");
    return [group](const std::string& line) -> std::string {
      if (line.ends_with("die")) ::raise(SIGKILL);
      if (line.ends_with("throw")) throw SimulationError("thrown");
      if (line.ends_with("slow")) ::usleep(50'000);
      return group + ": " + line + " by " + std::to_string(::getpid());
    };
  };
  options.on_failure = [](const std::string& line, const std::string& why) {
    return line.substr(0, 8) + " failed: " + why;
  };
  options.write = [&answers](std::string_view more) {
    answers += more;
    return true;
  };
  return options;
}

std::string answers_to_text(const std::string& lines, std::int64_t workers) {
  LinePipe pipe;
  // A process: what writes is closed here before workers inherit it.
  const pid_t writer = ::fork();
  if (writer == 0) {
    pipe.put(lines);
    ::_exit(0);
  }
  pipe.end();
  std::string answers;
  serve_lines(pipe.read_end, echo(workers, answers));
  ::waitpid(writer, nullptr, 0);
  return answers;
}

/// Without " by PROCESS".
std::vector<std::string> lines_of(const std::string& answers) {
  std::vector<std::string> lines(1);
  bool is_process = false;
  for (std::size_t at = 0; at < answers.size(); ++at) {
    if (answers.compare(at, 4, " by ") == 0 && std::isdigit(answers[at + 4]) != 0) {
      is_process = true;
    }
    if (answers[at] == '\n') {
      is_process = false;
      lines.emplace_back();
    } else if (!is_process) {
      lines.back() += answers[at];
    }
  }
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineServer, AnswersInOrderWhateverTheWorkers) {
  std::string lines;
  Lines expected;
  for (int at = 0; at < 500; ++at) {
    const std::string group(1, static_cast<char>('a' + at % 11));  // more than are kept
    const std::string line = group + " " + std::to_string(at) + (at % 50 == 0 ? " slow" : "");
    lines += line + (at % 3 == 0 ? "\n\n  \n" : "\n");
    expected.push_back(group + ": " + line);
  }
  for (const std::int64_t workers : {1, 2, 12}) {
    EXPECT_EQ(lines_of(answers_to_text(lines, workers)), expected) << workers;
  }
}

TEST(LineServer, AnswersALastLineWithoutABreakAndNoLines) {
  EXPECT_EQ(lines_of(answers_to_text("a 1\na 2", 1)), (Lines{"a: a 1", "a: a 2"}));
  EXPECT_EQ(answers_to_text("", 1), "");
}

TEST(LineServer, WhatFailsIsAnAnswer) {
  EXPECT_EQ(lines_of(answers_to_text("a 1\na throw\nno group\nx 1\nx 2\na 2\n", 1)),
            (Lines{"a: a 1", "a throw failed: thrown", "no group failed: error: no group is known",
                   "x 1 failed: error: cannot be built", "x 2 failed: error: cannot be built",
                   "a: a 2"}));
}

TEST(LineServer, AKilledWorkerCostsOneAnswer) {
  for (const std::int64_t workers : {1, 3}) {
    EXPECT_EQ(lines_of(answers_to_text("a 1\na die\na 2\nb die\nb 1\n", workers)),
              (Lines{"a: a 1", "a die failed: the worker process was killed by signal 9 (Killed)",
                     "a: a 2", "b die failed: the worker process was killed by signal 9 (Killed)",
                     "b: b 1"}));
  }
}

TEST(LineServer, ALineOfMoreThanAMebibyteIsRefusedAndNotKept) {
  const std::string lines = "a 1\n" + std::string(3 * kLongestLine, 'a') + "\na 2\n";
  EXPECT_EQ(lines_of(answers_to_text(lines, 1)),
            (Lines{"a: a 1", "aaaaaaaa failed: error: the line is longer than 1 MiB", "a: a 2"}));
}

/// As a search loop does: the next line comes when the answer is there, and finds the same process.
TEST(LineServer, AnswersEachLineBeforeTheNextComes) {
  LinePipe pipe;
  int asked = 0;
  std::set<std::string> processes;
  const auto ask = [&] {
    pipe.put((asked % 2 == 0 ? "a " : "b ") + std::to_string(asked) + "\n");
    if (++asked == 20) pipe.end();
  };
  std::string unused;
  LineServerOptions options = echo(1, unused);
  options.start_worker = [&pipe, start = options.start_worker](const std::string& group) {
    pipe.end();  // in a worker: that the lines end is seen when nobody can write more
    return start(group);
  };
  options.write = [&](std::string_view answer) {
    processes.emplace(answer.substr(answer.find(" by ")));
    EXPECT_EQ(std::ranges::count(answer, '\n'), 1);
    if (asked < 20) ask();
    return true;
  };
  ask();
  serve_lines(pipe.read_end, options);
  EXPECT_EQ(asked, 20);
  EXPECT_EQ(processes.size(), 2U);
}

TEST(LineServer, EndsWhenNobodyWantsMore) {
  LinePipe pipe;
  pipe.put("a 1\na 2\na 3\n");  // and it stays open
  std::string unused;
  LineServerOptions options = echo(1, unused);
  int written = 0;
  options.write = [&](std::string_view) { return ++written < 2; };
  serve_lines(pipe.read_end, options);
  EXPECT_EQ(written, 2);
}

}  // namespace
}  // namespace stcsim
