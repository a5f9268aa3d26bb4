#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

/// Before a function whose loops the compiler vectorises: also build it for AVX2 and choose when
/// the program starts. Both versions round alike, so results are the same on every computer. Left
/// out where the compiler, the C library or a sanitizer does not support it.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define STCSIM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define STCSIM_CLONES
#endif

namespace stcsim::pruning {

/// Told how much of the work is done; never from two threads at once. May be empty.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// The execution of long-running pruning; the result does not depend on it.
struct Execution {
  int threads = 1;
  Progress progress;
};

/// Calls work(begin, end) for parts that together are [0, count), each on a thread of its own, and
/// waits for all. What `work` throws is thrown again, that of the first part if there are several.
template <typename Work>
void parallel_ranges(std::int64_t count, int threads, Work work) {
  const std::int64_t parts = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  if (parts == 1) return work(std::int64_t{0}, count);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(parts));
  const auto run = [&](std::int64_t part) {
    try {
      work(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      failures[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::int64_t part = 1; part < parts; ++part) others.emplace_back(run, part);
    run(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace stcsim::pruning
