#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/sim/job/worker_pool_fixture.hpp"

namespace stcsim {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

using WorkerDeath = WorkerPoolTest;

const std::string kKilled = "the worker process was killed by signal 9 (Killed)";

/// Kills the process and waits until it is dead, but leaves it to its parent to bury.
void kill_and_wait(pid_t process) {
  siginfo_t information{};
  EXPECT_EQ(::kill(process, SIGKILL), 0);
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(process), &information, WEXITED | WNOWAIT), 0);
}

TEST_F(WorkerDeath, GoesOnWithoutTheJobThatKilledItsWorker) {
  EXPECT_TRUE(run(6, 2, [](std::int64_t job) {
    if (job == 2) ::raise(SIGKILL);
    return answer_to(job);
  }));
  EXPECT_THAT(failures_, ElementsAre(testing::Pair(2, kKilled)));
  expect_the_rest(6);
}

TEST_F(WorkerDeath, GoesOnWhenSeveralWorkersDie) {
  EXPECT_TRUE(run(30, 4, [](std::int64_t job) {
    if (job % 3 == 0) ::raise(SIGKILL);
    if (job % 7 == 0) ::_exit(5);
    return answer_to(job);
  }));
  for (const auto& [job, why] : failures_) {
    EXPECT_EQ(why, job % 3 == 0 ? kKilled : "the worker process ended with status 5");
  }
  EXPECT_THAT(failures_, SizeIs(13));
  expect_the_rest(30);
}

TEST_F(WorkerDeath, EndsThoughEveryWorkerDies) {
  EXPECT_TRUE(run(7, 3, [](std::int64_t) -> std::string {
    ::raise(SIGKILL);
    return "";
  }));
  EXPECT_THAT(failures_, SizeIs(7));
  EXPECT_THAT(failures_, Each(testing::Pair(testing::_, kKilled)));
}

TEST_F(WorkerDeath, EndsThoughEveryWorkerDiesWhileItStarts) {
  options_.workers = 2;
  options_.start_worker = []() -> Worker {
    ::raise(SIGKILL);
    return answer_to;
  };
  EXPECT_TRUE(run_jobs(5, options_));
  EXPECT_THAT(failures_, SizeIs(5));
  EXPECT_THAT(failures_, Each(testing::Pair(testing::_, kKilled)));
}

/// Job 0's worker has nothing left to do when it is killed; job 1 lasts until that has been seen.
TEST_F(WorkerDeath, DoesNotMissAWorkerThatDiesIdle) {
  const SharedNumbers shared;
  options_.on_result = [&](std::int64_t job, std::string text) {
    results_.emplace(job, std::move(text));
    if (job != 0) return;
    kill_and_wait(static_cast<pid_t>(shared[0].load()));
    shared[1] = 1;
  };
  EXPECT_TRUE(run(2, 2, [&](std::int64_t job) {
    if (job == 0) shared[0] = ::getpid();
    if (job == 1) shared.wait_for(1);
    return answer_to(job);
  }));
  EXPECT_TRUE(failures_.empty());
  expect_the_rest(2);
}

/// A worker that dies between its answer and the next job has not touched that job.
TEST_F(WorkerDeath, GivesTheJobOfAWorkerFoundDeadToAnother) {
  const SharedNumbers shared;
  options_.on_result = [&](std::int64_t job, std::string text) {
    results_.emplace(job, std::move(text));
    if (job == 0) kill_and_wait(static_cast<pid_t>(shared[0].load()));
  };
  EXPECT_TRUE(run(3, 1, [&](std::int64_t job) {
    if (job == 0) shared[0] = ::getpid();
    return answer_to(job);
  }));
  EXPECT_TRUE(failures_.empty());
  expect_the_rest(3);
}

TEST_F(WorkerDeath, AnInterruptionKillsAllWorkers) {
  constexpr std::size_t kWorkers = 4;
  const SharedNumbers shared;
  options_.interrupted = [&] {
    for (std::size_t at = 0; at < kWorkers; ++at) {
      if (shared[at] == 0) return false;
    }
    return true;
  };
  EXPECT_FALSE(run(10, kWorkers, [&](std::int64_t job) -> std::string {
    std::signal(SIGTERM, SIG_IGN);
    shared[static_cast<std::size_t>(job)] = ::getpid();
    for (;;) ::pause();
  }));
  for (std::size_t at = 0; at < kWorkers; ++at) {
    EXPECT_EQ(::kill(static_cast<pid_t>(shared[at].load()), 0), -1) << at;
    EXPECT_EQ(errno, ESRCH);
  }
  EXPECT_TRUE(results_.empty());
  EXPECT_TRUE(failures_.empty());
}

TEST_F(WorkerDeath, AnExceptionOfTheCallerKillsAllWorkers) {
  options_.on_result = [](std::int64_t, const std::string&) { throw std::logic_error("enough"); };
  EXPECT_THROW(run(5, 3,
                   [](std::int64_t job) -> std::string {
                     if (job == 0) return "";
                     for (;;) ::pause();
                   }),
               std::logic_error);
}

extern "C" void do_nothing(int) {}

TEST_F(WorkerDeath, SignalsDoNotDisturbIt) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = do_nothing;  // without SA_RESTART: system calls end with EINTR
  ::sigaction(SIGALRM, &action, &before);
  const pid_t parent = ::getpid();
  EXPECT_TRUE(run(60, 3, [&](std::int64_t job) {
    ::kill(parent, SIGALRM);
    if (job % 4 == 0) ::raise(SIGKILL);
    return answer_to(job);
  }));
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_THAT(failures_, SizeIs(15));
  EXPECT_THAT(failures_, Each(testing::Pair(testing::_, kKilled)));
  expect_the_rest(60);
}

}  // namespace
}  // namespace stcsim
