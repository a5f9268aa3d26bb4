// What a worker process takes of the computer's memory. Other frameworks: memory_soak_test.cpp.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/study_check.hpp"
#include "tests/cli/worker_memory.hpp"

namespace stcsim {
namespace {

TEST(WorkerMemory, AStepOf70BillionParametersTakesUnder200MiB) {
  expect_small_worker("pytorch_eager");
}

TEST(ShippedNetworks, EveryShippedNetworkTakesUnder300MiB) {
  std::string networks;
  for (const std::string& name : shipped("networks")) {
    networks += (networks.empty() ? "" : ",") + name;
  }
  run_networks(networks, "pytorch_eager");
  EXPECT_LT(peak_mib_of_children(), 300);
}

}  // namespace
}  // namespace stcsim
