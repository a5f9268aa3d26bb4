#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/error.hpp"
#include "common/io/worker_process.hpp"
#include "tests/unit/sim/job/worker_pool_fixture.hpp"

namespace stcsim {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

using WorkerPool = WorkerPoolTest;

TEST_F(WorkerPool, DoesNothingWithoutJobs) {
  options_.start_worker = []() -> Worker { throw std::runtime_error("not to be called"); };
  EXPECT_TRUE(run_jobs(0, options_));
  expect_the_rest(0);
}

TEST_F(WorkerPool, HandsJobsOutInOrder) {
  EXPECT_TRUE(run(5, 1, answer_to));
  EXPECT_THAT(order_, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(WorkerPool, GivesFreeWorkersTheNextJob) {
  const SharedNumbers shared;
  EXPECT_TRUE(run(6, 2, [&](std::int64_t job) {
    if (job == 0) shared.wait_for(5);  // all others are done by the second worker
    shared[static_cast<std::size_t>(job)] = 1;
    return answer_to(job);
  }));
  EXPECT_THAT(order_, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  order_.erase(std::find(order_.begin(), order_.end(), 0));
  EXPECT_THAT(order_, ElementsAre(1, 2, 3, 4, 5));
}

/// Two groups of three jobs: two workers begin one each. The first is held up until the second has
/// done its own and helped, in a process of its own: no process sees both groups.
TEST_F(WorkerPool, KeepsGroupsApartAndHelpsWhereMostIsLeft) {
  const SharedNumbers shared;
  const auto group_of = [](std::int64_t job) { return job / 3; };
  options_.group_of = group_of;
  EXPECT_TRUE(run(6, 2, [&, own = std::int64_t{-1}](std::int64_t job) mutable {
    if (own < 0) own = group_of(job);
    if (own != group_of(job)) throw std::runtime_error("of another group");
    if (job == 0) shared.wait_for(2);
    shared[static_cast<std::size_t>(job)] = 1;
    return answer_to(job);
  }));
  EXPECT_TRUE(failures_.empty());
  expect_the_rest(6);
  EXPECT_EQ(order_.size(), 6U);
  order_.erase(std::find(order_.begin(), order_.end(), 0));
  EXPECT_THAT(order_, ElementsAre(3, 4, 5, 1, 2));
}

TEST_F(WorkerPool, ReturnsAllResultsWhateverTheNumberOfWorkers) {
  for (const std::int64_t workers : {0, 1, 2, 7, 30}) {
    results_.clear();
    EXPECT_TRUE(run(20, workers, answer_to));
    expect_the_rest(20);
  }
  EXPECT_TRUE(failures_.empty());
}

TEST_F(WorkerPool, StartsNoMoreWorkersThanJobs) {
  const SharedNumbers shared;
  options_.workers = 8;
  options_.start_worker = [&]() -> Worker {
    ++shared[0];
    return answer_to;
  };
  EXPECT_TRUE(run_jobs(3, options_));
  EXPECT_LE(shared[0], 3);
  expect_the_rest(3);
}

TEST_F(WorkerPool, ReturnsResultsOfAnySizeAndContent) {
  const std::string every_byte("\0\n\xff", 3);
  const std::string large(std::size_t{3} << 20, 'x');
  const std::array<std::string, 3> texts{"", every_byte, large};
  EXPECT_TRUE(run(3, 2, [&](std::int64_t job) { return texts.at(static_cast<std::size_t>(job)); }));
  for (std::int64_t job = 0; job < 3; ++job) {
    EXPECT_TRUE(results_.at(job) == texts.at(static_cast<std::size_t>(job))) << job;
  }
}

TEST_F(WorkerPool, ReportsWhatAJobThrew) {
  EXPECT_TRUE(run(6, 2, [](std::int64_t job) {
    if (job % 2 == 1) throw std::runtime_error("odd " + std::to_string(job));
    return answer_to(job);
  }));
  EXPECT_THAT(failures_, ElementsAre(testing::Pair(1, "odd 1"), testing::Pair(3, "odd 3"),
                                     testing::Pair(5, "odd 5")));
  expect_the_rest(6);
}

TEST_F(WorkerPool, NoMemoryIsSaidInWords) {
  EXPECT_TRUE(run(1, 1, [](std::int64_t) -> std::string { throw std::bad_alloc(); }));
  EXPECT_EQ(failures_.at(0), "out of memory");
}

TEST_F(WorkerPool, TriesOncePerProcessToStartAWorker) {
  const SharedNumbers shared;
  options_.start_worker = [&]() -> Worker {
    ++shared[0];
    throw std::runtime_error("cannot be built");
  };
  EXPECT_TRUE(run_jobs(4, options_));
  EXPECT_EQ(shared[0], 1);
  EXPECT_THAT(failures_, SizeIs(4));
  EXPECT_THAT(failures_, Each(testing::Pair(testing::_, "cannot be built")));
}

/// Allows only so many more descriptors, for as long as it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int more) {
    int limit = 0;
    for (int free = 0; free < more; ++limit) {  // some below may be open, who started this knows
      if (::fcntl(limit, F_GETFD) == -1) ++free;
    }
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit small = before_;
    small.rlim_cur = static_cast<rlim_t>(limit);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  }
  ~DescriptorLimit() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

/// Every worker takes two descriptors; some are left for the files of whoever takes the results.
TEST_F(WorkerPool, MakesDoWithTheWorkersTheSystemAllows) {
  options_.on_result = [&](std::int64_t job, std::string text) {
    results_.emplace(job, std::move(text));
    const int file = ::open("/dev/null", O_RDONLY);
    EXPECT_GE(file, 0);
    ::close(file);
  };
  {
    const DescriptorLimit limit(17);
    EXPECT_TRUE(run(40, 40, answer_to));
  }
  expect_the_rest(40);
}

TEST_F(WorkerPool, SaysWhyItHasNoWorkerAtAll) {
  options_.start_worker = [] { return answer_to; };
  std::string message;
  const int lowest_free = ::dup(STDERR_FILENO);
  ::close(lowest_free);
  try {
    const DescriptorLimit limit(1);
    run_jobs(40, options_);
  } catch (const SimulationError& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "cannot make a pipe to a worker: Too many open files; the system allows " +
                         std::to_string(lowest_free + 1) + " (ulimit -n)");
}

/// What others would have to leave for the rest of the program, the only worker may take.
TEST_F(WorkerPool, OneWorkerNeedsFourDescriptors) {
  {
    const DescriptorLimit limit(4);
    EXPECT_TRUE(run(40, 40, answer_to));
  }
  expect_the_rest(40);
}

}  // namespace
}  // namespace stcsim
