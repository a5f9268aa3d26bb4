#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "reports/validation/network_rows.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

ResultRow row(const std::string& layer, const std::string& op, std::int64_t repeat,
              std::int64_t cycles, std::int64_t dense_cycles) {
  ResultRow row;
  row.layer = layer;
  row.op = op;
  if (op != "gemm") row.kind = StreamKind::activation;
  row.repeat = repeat;
  row.cycles = cycles;
  row.dense_cycles = dense_cycles;
  row.ran_sparse = cycles != dense_cycles;
  row.speedup = static_cast<double>(dense_cycles) / static_cast<double>(cycles);
  return row;
}

/// Layer a: forward twice as fast, wgrad dense; layer b: dense; softmax after b; optimizer.
std::vector<ResultRow> sample_rows() {
  return {row("a", "gemm", 2, 100, 200),          row("a", "gemm", 2, 150, 150),
          row("c", "gemm", 1, 40, 100),           row("b", "gemm", 1, 300, 300),
          row("b", "softmax forward", 1, 60, 60), row("optimizer", "adam update", 1, 40, 40)};
}

TEST(NetworkFigures, AStepIsEverything) {
  const NetworkFigures figures = figures_of(sample_rows(), Scope::step, 1.0, 10.0);
  EXPECT_DOUBLE_EQ(*figures.sparse_us, (200 + 300 + 40 + 300 + 60 + 40) / 10.0);
  EXPECT_DOUBLE_EQ(*figures.dense_us, (400 + 300 + 100 + 300 + 60 + 40) / 10.0);
  EXPECT_DOUBLE_EQ(*figures.speedup.low, 1200.0 / 940.0);
  EXPECT_EQ(figures.speedup.low, figures.speedup.high);
}

TEST(NetworkFigures, PassesAreWithoutTheOptimizer) {
  EXPECT_DOUBLE_EQ(*figures_of(sample_rows(), Scope::passes, 1.0, 1.0).sparse_us, 900.0);
}

TEST(NetworkFigures, ASchemeThatIsSparseForATimeIsAveraged) {
  const NetworkFigures figures = figures_of(sample_rows(), Scope::step, 0.5, 1.0);
  EXPECT_DOUBLE_EQ(*figures.sparse_us, (940.0 + 1200.0) / 2);
  EXPECT_DOUBLE_EQ(*figures.dense_us, 1200.0);
}

TEST(NetworkFigures, ScopesOfGemms) {
  const auto speedup = [](Scope scope) {
    return *figures_of(sample_rows(), scope, 0.5, 1.0).speedup.high;
  };
  EXPECT_DOUBLE_EQ(speedup(Scope::sparse_gemms), 500.0 / 240.0);
  EXPECT_DOUBLE_EQ(speedup(Scope::sparse_layers), 800.0 / 540.0);
  EXPECT_DOUBLE_EQ(speedup(Scope::best_layer), 2.5);
}

TEST(NetworkFigures, AreEmptyWhereNothingRanSparse) {
  const std::vector<ResultRow> dense{row("b", "gemm", 1, 300, 300)};
  for (const Scope scope :
       {Scope::sparse_gemms, Scope::sparse_layers, Scope::best_layer, Scope::scheme_work}) {
    EXPECT_EQ(figures_of(dense, scope, 1.0, 1.0), NetworkFigures());
  }
}

/// A mask search every 40 steps.
TEST(NetworkFigures, WorkThatIsNotDoneInEveryStepIsSharedOut) {
  std::vector<ResultRow> rows{row("a", "gemm", 1, 100, 200), row("a", "mask search", 1, 400, 0)};
  rows[1].scheme_work = true;
  rows[1].every = 40;
  EXPECT_DOUBLE_EQ(*figures_of(rows, Scope::step, 1.0, 1.0).sparse_us, 110.0);
}

/// A network of one linear layer, and what is asked of it.
class NetworkValidation : public ::testing::Test {
 protected:
  NetworkValidation() {
    std::ofstream(network_) << "name: one\nbatch: 1\nlayers:\n  - {name: l, type: linear, "
                               "in_features: 64, out_features: 64, tokens: 8}\n";
    std::ofstream(scheme_) << "name: half\nforward: {tensor: weight, axis: c_in, pattern: "
                              "\"2:4\"}\n";
  }
  [[nodiscard]] MeasuredNetwork wanted() const {
    MeasuredNetwork network;
    network.where = {"t.csv", 3, 1};
    network.gpu = "tiny";
    network.model = network_.string();
    network.scheme = scheme_.string();
    network.phases = {Phase::forward};
    network.inference = true;
    network.batches = {1, 8};
    network.measured.speedup = {1.0, 2.0};
    return network;
  }
  [[nodiscard]] static std::vector<NetworkRow> validate(
      const std::vector<MeasuredNetwork>& networks) {
    return validate_networks(networks, {{"tiny", test::tiny_machine()}}, {});
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path network_ = directory_ / "one.yaml";
  std::filesystem::path scheme_ = directory_ / "half.yaml";
};

/// The range over both batches holds the figure of each; times belong to one batch only.
TEST_F(NetworkValidation, SeveralBatchesMakeARange) {
  MeasuredNetwork small = wanted();
  small.batches = {1};
  MeasuredNetwork large = wanted();
  large.batches = {8};
  const auto rows = validate({wanted(), small, large});
  const double a = *rows[1].simulated.speedup.low;
  const double b = *rows[2].simulated.speedup.low;
  EXPECT_EQ(rows[0].simulated.speedup, (Interval{std::min(a, b), std::max(a, b)}));
  EXPECT_EQ(rows[0].simulated.dense_us, std::nullopt);
  EXPECT_GT(*rows[1].simulated.dense_us, *rows[1].simulated.sparse_us);
  EXPECT_GT(*rows[2].simulated.dense_us, *rows[1].simulated.dense_us);
  EXPECT_EQ(rows[0].machine, "tiny");
}

/// What a scheme spends itself stands against copying once what it works on: pruning writes less
/// than a copy, and two kernels more of which each is a copy take twice as long.
TEST_F(NetworkValidation, SchemeWorkIsComparedWithACopyOfTheTensor) {
  MeasuredNetwork network = wanted();
  network.batches = {1};
  network.inference = false;  // where weights are pruned beforehand
  network.phases = {Phase::forward};
  network.scope = Scope::scheme_work;
  const NetworkRow pruning = validate({network}).front();
  std::ofstream(scheme_, std::ios::app)
      << "work:\n"
         "  - {name: one, phase: forward, tensor: weight, reads: 1, writes: 1}\n"
         "  - {name: more, phase: forward, tensor: weight, reads: 1, writes: 1}\n"
         "  - {name: other phase, phase: wgrad, tensor: weight, reads: 1, writes: 1}\n";
  const NetworkRow row = validate({network}).front();
  EXPECT_EQ(row.skipped, "");
  EXPECT_GT(*pruning.simulated.sparse_us, 0);
  EXPECT_DOUBLE_EQ(*row.simulated.dense_us, *pruning.simulated.dense_us);
  EXPECT_NEAR(*row.simulated.sparse_us, *pruning.simulated.sparse_us + 2 * *row.simulated.dense_us,
              1e-9);
  EXPECT_DOUBLE_EQ(*row.simulated.speedup.low, *row.simulated.dense_us / *row.simulated.sparse_us);
}

/// As `run` does: of causal attention whose scores stay on chip blocks are left out, so it takes as
/// long as attention to the keys that are met.
TEST_F(NetworkValidation, CausalAttentionSkipsBlocks) {
  const auto dense_us = [&](const std::string& framework, std::int64_t keys,
                            const std::string& more) {
    std::ofstream(network_) << "name: one\nbatch: 1\nlayers:\n"
                            << "  - {name: qk, type: bmm, m: " << keys
                            << ", \"n\": 512, k: 64, count: 2, after: [softmax]" << more << "}\n"
                            << "  - {name: av, type: bmm, m: 64, \"n\": 512, k: " << keys
                            << ", count: 2" << more << "}\n";
    MeasuredNetwork network = wanted();
    network.batches = {1};
    network.framework = framework;
    const NetworkRow row = validate({network}).front();
    EXPECT_EQ(row.skipped, "");
    return row.simulated.dense_us.value_or(-1);
  };
  const double full = dense_us("pytorch_2_eager", 512, "");
  EXPECT_LT(dense_us("pytorch_2_eager", 512, ", causal: true"), full);
  // Blocks of 128 queries by 128 keys: 1 + 2 + 3 + 4 of 4 x 4 are seen, 320 keys a query.
  EXPECT_EQ(dense_us("pytorch_2_eager", 512, ", causal: true"),
            dense_us("pytorch_2_eager", 320, ""));
  EXPECT_EQ(dense_us("pytorch_eager", 512, ", causal: true"), dense_us("pytorch_eager", 512, ""));
}

TEST_F(NetworkValidation, SkipsRowsWithAReason) {
  std::vector<MeasuredNetwork> networks(5, wanted());
  networks[0].gpu = "Z9";
  networks[1].unusable = "because";
  networks[2].dtype = DataType::int32;
  networks[3].measured = {};
  networks[4].scope = Scope::sparse_gemms;
  networks[4].inference = false;
  networks[4].phases = {Phase::wgrad};
  const auto rows = validate(networks);
  EXPECT_EQ(rows[0].skipped, "no machine for GPU 'Z9'");
  EXPECT_EQ(rows[1].skipped, "because");
  EXPECT_EQ(rows[2].skipped, "tiny does not multiply int32");
  EXPECT_EQ(rows[3].skipped, "nothing was measured");
  EXPECT_EQ(rows[4].skipped, "nothing runs sparse");
}

TEST_F(NetworkValidation, ABatchThatIsTooLargeIsAnErrorAtTheRow) {
  std::ofstream(network_) << "name: one\nbatch: 1\nlayers:\n  - {name: l, type: linear, "
                             "in_features: 1000000, out_features: 1000000, tokens: 1000}\n";
  MeasuredNetwork network = wanted();
  network.batches = {1000000};
  const std::string message = test::message_of<ConfigError>([&] { (void)validate({network}); });
  EXPECT_EQ(message.find("t.csv:3:1: error: layer 'l': "), 0U) << message;
}

TEST_F(NetworkValidation, AMissingFileIsAnErrorAtTheRow) {
  MeasuredNetwork network = wanted();
  network.model = "nothing_like_it";
  const std::string message = test::message_of<ConfigError>([&] { (void)validate({network}); });
  EXPECT_EQ(message.find("t.csv:3:1: error: "), 0U) << message;
  EXPECT_NE(message.find("nothing_like_it"), std::string::npos) << message;
}

}  // namespace
}  // namespace stcsim
