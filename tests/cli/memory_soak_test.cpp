// What a worker takes of the computer's memory with frameworks and networks that
// memory_heavy_test.cpp leaves out.
#include <gtest/gtest.h>

#include "tests/cli/study_check.hpp"
#include "tests/cli/worker_memory.hpp"

namespace stcsim {
namespace {

TEST(WorkerMemory, WithNvidiasContainersTakesUnder200MiB) {
  expect_small_worker("nvidia_tuned");
}

TEST(WorkerMemory, WithFusedKernelsTakesUnder200MiB) {
  expect_small_worker("ideal");
}

TEST(ShippedNetworksSoak, EveryShippedNetworkTakesUnder300MiB) {
  expect_small_workers_of(shipped("networks"));
}

}  // namespace
}  // namespace stcsim
