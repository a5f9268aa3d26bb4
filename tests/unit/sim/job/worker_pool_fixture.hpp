#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "common/io/worker_process.hpp"

namespace stcsim {

/// Numbers that the workers and the test both see.
class SharedNumbers {
 public:
  static constexpr std::size_t kCount = 64;

  SharedNumbers()
      : numbers_(static_cast<std::atomic<std::int64_t>*>(
            ::mmap(nullptr, kCount * sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (numbers_ == MAP_FAILED) throw std::runtime_error("mmap failed");
  }
  ~SharedNumbers() { ::munmap(numbers_, kCount * sizeof(std::atomic<std::int64_t>)); }
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;

  std::atomic<std::int64_t>& operator[](std::size_t index) const { return numbers_[index]; }
  void wait_for(std::size_t index) const {
    while (numbers_[index] == 0) std::this_thread::yield();
  }

 private:
  std::atomic<std::int64_t>* numbers_;
};

inline std::string answer_to(std::int64_t job) {
  return "answer " + std::to_string(job);
}

/// Runs jobs and writes down how each ended.
class WorkerPoolTest : public testing::Test {
 protected:
  WorkerPoolTest() {
    options_.on_result = [this](std::int64_t job, std::string text) {
      order_.push_back(job);
      EXPECT_TRUE(results_.emplace(job, std::move(text)).second) << job << " ended twice";
    };
    options_.on_failure = [this](std::int64_t job, std::string why) {
      EXPECT_TRUE(failures_.emplace(job, std::move(why)).second) << job << " failed twice";
    };
  }
  ~WorkerPoolTest() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a worker is left, or was not waited for";
    EXPECT_EQ(errno, ECHILD);
  }

  bool run(std::int64_t jobs, std::int64_t workers, const Worker& worker) {
    options_.workers = workers;
    options_.start_worker = [worker] { return worker; };
    return run_jobs(jobs, options_);
  }

  /// Expects that all jobs but those that failed had their results.
  void expect_the_rest(std::int64_t jobs) const {
    for (std::int64_t job = 0; job < jobs; ++job) {
      if (failures_.count(job) != 0) continue;
      ASSERT_EQ(results_.count(job), 1U) << job;
      EXPECT_EQ(results_.at(job), answer_to(job));
    }
    EXPECT_EQ(static_cast<std::int64_t>(results_.size() + failures_.size()), jobs);
  }

  WorkerPoolOptions options_;
  std::vector<std::int64_t> order_;
  std::map<std::int64_t, std::string> results_;
  std::map<std::int64_t, std::string> failures_;
};

}  // namespace stcsim
