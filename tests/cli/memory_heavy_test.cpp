// What a worker process takes of the computer's memory. Other frameworks, and every network:
// memory_soak_test.cpp.
#include <gtest/gtest.h>

#include "tests/cli/worker_memory.hpp"

namespace stcsim {
namespace {

TEST(WorkerMemory, AStepOf70BillionParametersTakesUnder200MiB) {
  expect_small_worker("pytorch_eager");
}

/// The two that take most, and one of each other kind.
TEST(ShippedNetworks, TheLargestTakeUnder300MiB) {
  expect_small_workers_of({"resnext101_32x16d", "sam_vit_l", "regnetx_400mf",
                           "bert_large_pretraining_s512", "gpt2_1558m", "llama3_8b"});
}

}  // namespace
}  // namespace stcsim
