#pragma once

#include <array>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stcsim::test {

/// Does `work` in a process of its own: SystemC allows one elaboration per process. What it returns
/// comes back as text; "failed ..." if the process ended otherwise, or did not end in
/// `cpu_seconds`, which is there so that a test ends, not to measure anything.
inline std::string in_own_process(const std::function<std::string()>& work,
                                  unsigned cpu_seconds = 250) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const rlimit limit{cpu_seconds, cpu_seconds};
    (void)setrlimit(RLIMIT_CPU, &limit);
    const std::string text = work();
    const bool written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0) return text;
  return "failed: the process ended with status " + std::to_string(status);
}

}  // namespace stcsim::test
