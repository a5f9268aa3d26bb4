#include "workloads/scheme_work.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

constexpr std::int64_t kWorkBatch = 4;

/// 128 -> 64 features, 32 tokens: 8192 weights, 8192 output elements in a batch of 4, 16384 inputs.
Layer linear() {
  Layer layer;
  layer.name = "fc";
  layer.kind = LayerKind::linear;
  layer.in_channels = 128;
  layer.out_channels = 64;
  layer.height = 32;
  return layer;
}

Scheme scheme() {
  Scheme scheme;
  scheme.phases[0].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_in, {2, 4}};
  return scheme;
}

SchemeWork work(Phase phase, Tensor tensor) {
  SchemeWork work;
  work.name = "work";
  work.phase = phase;
  work.tensor = tensor;
  return work;
}

TEST(SchemeWork, PassesMoveTheTensorIn16Bits) {
  Scheme with = scheme();
  with.work = {work(Phase::wgrad, Tensor::output_gradient)};
  with.work[0].reads = 2;
  with.work[0].writes = 0.5;
  with.work[0].ops = 3;
  const auto kernels = scheme_kernels(with, linear(), Phase::wgrad, kWorkBatch);
  ASSERT_EQ(kernels.size(), 1U);
  const std::int64_t elements = kWorkBatch * 32 * 64;
  EXPECT_EQ(kernels[0].kernel.work.read_bytes, 2 * 2 * elements);
  EXPECT_EQ(kernels[0].kernel.work.write_bytes, elements);
  EXPECT_EQ(kernels[0].kernel.work.vector_ops, 3 * elements);
  EXPECT_TRUE(kernels[0].kernel.backward);
  EXPECT_EQ(kernels[0].every, 1);
}

/// 2:4: two of four values of 16 bits and two indices of 2 bits, 36 of 64 bits.
TEST(SchemeWork, CompressedPassesMoveKeptValuesAndMetadata) {
  Scheme with = scheme();
  with.work = {work(Phase::forward, Tensor::weight)};
  with.work[0].compressed_writes = 2;
  with.work[0].every = 40;
  const auto kernels = scheme_kernels(with, linear(), Phase::forward, kWorkBatch);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].kernel.work.write_bytes, 2 * 128 * 64 * 36 / 64 * 2);
  EXPECT_EQ(kernels[0].every, 40);
}

TEST(SchemeWork, IsOfThePhaseAndOfTheLayersTheSchemeTouches) {
  Scheme with = scheme();
  with.work = {work(Phase::forward, Tensor::weight)};
  with.work[0].reads = 1;
  EXPECT_TRUE(scheme_kernels(with, linear(), Phase::wgrad, kWorkBatch).empty());
  with.layers.kinds = {LayerKind::conv};
  EXPECT_TRUE(scheme_kernels(with, linear(), Phase::forward, kWorkBatch).empty());
}

TEST(SchemeWork, APhaseTheLayerDoesNotHaveCostsNothing) {
  Scheme with = scheme();
  with.work = {work(Phase::dgrad, Tensor::output_gradient)};
  with.work[0].reads = 1;
  Layer first = linear();
  first.needs_dgrad = false;
  EXPECT_EQ(scheme_kernels(with, linear(), Phase::dgrad, kWorkBatch).size(), 1U);
  EXPECT_TRUE(scheme_kernels(with, first, Phase::dgrad, kWorkBatch).empty());
}

}  // namespace
}  // namespace stcsim
