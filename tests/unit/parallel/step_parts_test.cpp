#include <numeric>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/parallel/parallel_study.hpp"
#include "sim/parallel/streams.hpp"

namespace stcsim {
namespace {

/// Collectives take 10 us each, whatever they move.
ParallelConfig flat(Sharding sharding) {
  ParallelConfig parallel;
  parallel.system.gpus_per_node = 8;
  parallel.system.links.gb_per_s = parallel.system.links.own_gb_per_s = 1e12;
  parallel.system.links.simple = {10, 0, 1};
  parallel.sharding = sharding;
  parallel.bucket_mib = 1;
  return parallel;
}

/// Two units of 100 us forward and 200 us backward, each with 1.5 MiB of gradients.
StepParts two_units(std::int64_t accumulation = 1) {
  UnitParts unit;
  unit.forward = {100, 0, 0, 0};
  unit.backward = {200, 0, 0, 0};
  unit.forward_bytes = unit.backward_bytes = 1000;
  unit.gradient_bytes = 1.5 * (1 << 20);
  unit.sums_bytes = {1000, 1000};
  StepParts parts;
  parts.units = {unit, unit};
  parts.optimizer_us = 80;
  parts.accumulation = accumulation;
  return parts;
}

std::size_t count_of(const StepStreams& step, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count(step.comm, name, &CommItem::name));
}
double us_on(const StepParts& parts, const ParallelConfig& parallel, std::int64_t gpus) {
  const StreamTimes times =
      run_streams(step_streams(parts, parallel, gpus), parallel.system.beside);
  EXPECT_EQ(times.slowed_us, 0);
  EXPECT_NEAR(times.us,
              std::accumulate(times.exposed.begin(), times.exposed.end(), times.kernels_us,
                              [](double sum, const auto& one) { return sum + one.second; }),
              1e-6);
  return times.us;
}

TEST(StepStreams, OneGpuExchangesNothing) {
  for (const Sharding sharding : {Sharding::ddp, Sharding::fsdp, Sharding::tp}) {
    EXPECT_TRUE(step_streams(two_units(3), flat(sharding), 1).comm.empty());
    EXPECT_EQ(us_on(two_units(3), flat(sharding), 1), 3 * 600 + 80);
  }
}

TEST(StepStreams, DataParallelSumsBucketsInTheLastMicroBatch) {
  const StepStreams step = step_streams(two_units(2), flat(Sharding::ddp), 8);
  EXPECT_EQ(count_of(step, "gradients"), 3U);  // of 1 MiB: one of the first unit, two of the second
  EXPECT_EQ(step.comm.size(), 3U);
  // The first is hidden, the other two are waited for.
  EXPECT_NEAR(us_on(two_units(2), flat(Sharding::ddp), 8), 1200 + 20 + 80, 1e-3);
}

TEST(StepStreams, WithoutOverlapThereIsOneSumAtTheEnd) {
  ParallelConfig parallel = flat(Sharding::ddp);
  parallel.overlap = false;
  EXPECT_EQ(step_streams(two_units(2), parallel, 8).comm.size(), 1U);
}

TEST(StepStreams, ZeroGathersWhatItUpdatedUnderTheFirstForwardPass) {
  const StepStreams step = step_streams(two_units(2), flat(Sharding::zero1), 8);
  EXPECT_EQ(count_of(step, "weights"), 2U);
  EXPECT_EQ(count_of(step, "gradients"), 3U);
  EXPECT_EQ(step.compute.back().us, 80.0 / 8);
}

TEST(StepStreams, FullShardingGathersEveryUnitTwiceInEveryMicroBatch) {
  const StepStreams step = step_streams(two_units(2), flat(Sharding::fsdp), 8);
  EXPECT_EQ(count_of(step, "weights"), 2U * 2 * 2);
  EXPECT_EQ(count_of(step, "gradients"), 2U * 2);
  // Nothing hides the first gather and the last scatter of a micro-batch.
  EXPECT_NEAR(us_on(two_units(2), flat(Sharding::fsdp), 8), 2 * (10 + 600 + 10) + 10, 1e-3);
}

TEST(StepStreams, TensorParallelWaitsForTheSumsOfOutputs) {
  // Two sums of each of two units, forward and backward.
  EXPECT_NEAR(us_on(two_units(), flat(Sharding::tp), 8), 600 + 8 * 10 + 80, 1e-3);
}

TEST(StepStreams, MasksThatAreSentComeFirst) {
  StepParts parts = two_units();
  parts.mask_bytes = 1000;
  EXPECT_EQ(step_streams(parts, flat(Sharding::ddp), 8).comm.front().name, "masks");
  EXPECT_NEAR(us_on(parts, flat(Sharding::ddp), 8), 10 + 600 + 20 + 80, 1e-3);
}

Network two_blocks() {
  Layer up;
  up.name = "up";
  up.kind = LayerKind::linear;
  up.in_channels = 64;
  up.out_channels = 128;
  up.repeat = 4;
  Layer down = up;
  down.name = "down";
  std::swap(down.in_channels, down.out_channels);
  down.repeat = 2;
  down.after = {StreamOp::residual_add};
  Layer head = up;
  head.name = "head";
  head.role = LayerRole::classifier;
  head.repeat = 1;
  Network network;
  network.name = "net";
  network.layers = {up, down, head};
  return network;
}

/// A product of so many us, dense of twice as many.
ResultRow product_of(const Layer& layer, RowPhase phase, double us) {
  ResultRow row;
  row.layer = layer.name;
  row.phase = phase;
  row.backward = phase != RowPhase::forward;
  row.repeat = layer.repeat;
  row.time_us = us;
  row.dense_time_us = 2 * us;
  row.dtype = DataType::fp16;
  return row;
}

TEST(StepParts, LayersThatRepeatMakeBlocks) {
  const Network network = two_blocks();
  const ResultRow up = product_of(network.layers[0], RowPhase::forward, 10);
  const ResultRow down = product_of(network.layers[1], RowPhase::dgrad, 7);
  const std::vector<const ResultRow*> rows{&up, &down};
  const StepParts parts = step_parts(network, Scheme(), rows, flat(Sharding::fsdp), false);
  ASSERT_EQ(parts.units.size(), 3U);  // two blocks of two `up` and a `down`; the head
  EXPECT_EQ(parts.units[0].forward[0], 20);
  EXPECT_EQ(parts.units[1].backward[0], 7);
  EXPECT_EQ(parts.units[0].forward_bytes, 3 * 64 * 128 * 2);
  EXPECT_EQ(parts.units[0].gradient_bytes, 3 * 64 * 128 * 4);
  EXPECT_EQ(parts.units[2].forward_bytes, 64 * 128 * 2);
  EXPECT_EQ(step_parts(network, Scheme(), rows, flat(Sharding::fsdp), true).units[0].forward[0],
            40);
}

TEST(StepParts, CompressedWeightsTravelAsNineSixteenths) {
  const Network network = two_blocks();
  ResultRow head = product_of(network.layers[2], RowPhase::forward, 10);
  head.ran_sparse = true;
  head.sparse_operand = Tensor::weight;
  head.pattern = {2, 4};
  Scheme scheme;
  scheme.updates_kept = true;
  ParallelConfig parallel = flat(Sharding::fsdp);
  const auto unit = [&] { return step_parts(network, scheme, {&head}, parallel, false).units[2]; };
  EXPECT_EQ(unit().forward_bytes, 64 * 128 * 2);
  parallel.compressed = true;
  EXPECT_EQ(unit().forward_bytes, 64 * 128 * 2 * 9.0 / 16);
  EXPECT_EQ(unit().backward_bytes, 64 * 128 * 2);  // dgrad reads them dense
  EXPECT_EQ(unit().gradient_bytes, 64 * 128 * 4 / 2);
}

TEST(Sharding, LeavesAGpuItsPart) {
  StepMemory memory;
  memory.weights = 800;
  memory.gradients = 400;
  memory.optimizer = 1600;
  memory.activations = 1000;
  EXPECT_EQ(sharded_bytes(memory, Sharding::ddp, 8, 50), 3800);
  EXPECT_EQ(sharded_bytes(memory, Sharding::zero1, 8, 50), 3800 - 1400);
  EXPECT_EQ(sharded_bytes(memory, Sharding::zero2, 8, 50), 3800 - 1400 - 350);
  EXPECT_EQ(sharded_bytes(memory, Sharding::fsdp, 8, 50), 3800 - 1400 - 350 - 700 + 100);
  EXPECT_EQ(sharded_bytes(memory, Sharding::fsdp, 1, 50), 3800);
}

TEST(TensorParallel, SplitsReductionsBeforeResidualsAndOutputsElsewhere) {
  const Network part = tensor_parallel_part(two_blocks(), 4);
  EXPECT_EQ(part.name, "net-tp4");
  EXPECT_EQ(part.layers[0].out_channels, 32);
  EXPECT_EQ(part.layers[0].in_channels, 64);
  EXPECT_EQ(part.layers[1].in_channels, 32);
  EXPECT_EQ(part.layers[1].out_channels, 64);
  EXPECT_THROW((void)tensor_parallel_part(two_blocks(), 3), ConfigError);
}

}  // namespace
}  // namespace stcsim
