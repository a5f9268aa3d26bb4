#include "reports/validation/network_rows.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

constexpr const char* kNetworkHeader =
    "source,gpu,dtype,network,config,phase,dense,sparse,unit,speedup,pattern,model,batch,phases,"
    "scheme,scope,not_simulated\n";

class NetworkTable : public ::testing::Test {
 protected:
  MeasuredNetwork first(const std::string& row) {
    std::ofstream(path_) << kNetworkHeader << row << "\n";
    return read_measured_networks(path_).at(0);
  }
  std::string error_of(const std::string& row) {
    const std::string message = test::message_of<ConfigError>([&] { (void)first(row); });
    return message.substr(message.find("t.csv"));
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "t.csv";
};

TEST_F(NetworkTable, ReadsARow) {
  const MeasuredNetwork row =
      first("s,A100,int8,N,c,training,3,2,ms,1.5,2:4,net,1;16;256,forward;wgrad,asp,passes,");
  EXPECT_EQ(row.where.line, 2);
  EXPECT_EQ(row.source, "s");
  EXPECT_EQ(row.gpu, "A100");
  EXPECT_EQ(row.dtype, DataType::int8);
  EXPECT_EQ(row.network, "N");
  EXPECT_EQ(row.config, "c");
  EXPECT_EQ(row.phase, "training");
  EXPECT_EQ(row.measured, (NetworkFigures{3000.0, 2000.0, {1.5, 1.5}}));
  EXPECT_EQ(row.model, "net");
  EXPECT_EQ(row.scheme, "asp");
  EXPECT_EQ(row.batches, (std::vector<std::int64_t>{1, 16, 256}));
  EXPECT_EQ(row.phases, (std::vector<Phase>{Phase::forward, Phase::wgrad}));
  EXPECT_FALSE(row.inference);
  EXPECT_EQ(row.scope, Scope::passes);
  EXPECT_EQ(row.unusable, "");
}

TEST_F(NetworkTable, InferenceIsTheForwardPassAfterTraining) {
  const MeasuredNetwork row = first("s,A100,,N,,,,,,up to 1.3,2:4,net,8,inference,asp,step,");
  EXPECT_TRUE(row.inference);
  EXPECT_EQ(row.phases, std::vector<Phase>{Phase::forward});
  EXPECT_EQ(row.dtype, DataType::fp16);
  EXPECT_EQ(row.measured.speedup, (Interval{std::nullopt, 1.3}));
}

/// 256 samples at 6400 a second take 40 ms.
TEST_F(NetworkTable, TurnsRatesIntoTimesOfAStep) {
  for (const std::string unit : {"seq/s", "images/s", "img/s"}) {
    const MeasuredNetwork row =
        first("s,A100,,N,,,,6400," + unit + ",,2:4,net,256,inference,asp,step,");
    EXPECT_DOUBLE_EQ(*row.measured.sparse_us, 40000.0);
    EXPECT_EQ(row.measured.dense_us, std::nullopt);
  }
  EXPECT_EQ(first("s,A100,,N,,,,0.5,s,,2:4,net,256,inference,asp,step,").measured.sparse_us, 5e5);
  EXPECT_EQ(first("s,A100,,N,,,,5,us,,2:4,net,256,inference,asp,step,").measured.sparse_us, 5.0);
}

TEST_F(NetworkTable, SaysWhyARowCannotBeSimulated) {
  EXPECT_EQ(first("s,A100,fp16,N,,,1,1,ms,,64:2:8,,,,,,").unusable, "pattern '64:2:8' is not n:m");
  EXPECT_EQ(first("s,A100,fp32 (no tensor cores),N,,,1,,ms,,dense,,,,,,").unusable,
            "ran without tensor cores");
  EXPECT_EQ(first("s,A100,fp64,N,,,1,1,ms,,2:4,net,1,inference,asp,step,").unusable,
            "data type 'fp64' is not simulated");
  EXPECT_EQ(first("s,A100,fp16,GPT-9,,,1,1,ms,,2:4,,,,,,").unusable,
            "no network file stands for 'GPT-9'");
  EXPECT_EQ(first("s,A100,fp16,N,,,1,1,ms,,2:4,,,,,,the batch is unknown").unusable,
            "the batch is unknown");
}

TEST_F(NetworkTable, RefusesWhatIsWrongAtItsPlace) {
  EXPECT_EQ(error_of("s,g,,N,,,,,,fast,2:4,net,8,inference,asp,step,"),
            "t.csv:2:13: error: speedup is 'fast', must be a number above 0, a range like 1.3-1.5, "
            "or 'up to 1.3'");
  EXPECT_EQ(error_of("s,g,,N,,,,,,2,2:4,net,8;0,inference,asp,step,"),
            "t.csv:2:23: error: batch is '8;0', must be whole numbers from 1 to 1000000 with ';' "
            "between them");
  EXPECT_EQ(error_of("s,g,,N,,,,,,2,2:4,net,,inference,asp,step,"),
            "t.csv:2:23: error: batch is '', must be the samples per step, as 'model' is given");
  for (const std::string phases : {"", "sideways", "forward;sideways", ";"}) {
    EXPECT_EQ(error_of("s,g,,N,,,,,,2,2:4,net,8," + phases + ",asp,step,"),
              "t.csv:2:25: error: phases is '" + phases +
                  "', must be inference, or forward, dgrad and wgrad with ';' between them");
  }
  EXPECT_EQ(error_of("s,g,,N,,,,,,2,2:4,net,8,inference,asp,all,"),
            "t.csv:2:39: error: scope is 'all', must be step, passes, sparse_gemms, sparse_layers, "
            "best_layer or scheme_work");
  EXPECT_EQ(error_of("s,g,,N,,,1,,h,2,2:4,net,8,inference,asp,step,"),
            "t.csv:2:13: error: unit is 'h', must be s, ms, us, seq/s, images/s or img/s");
}

/// NVIDIA's convolutions are among the shipped rows, and all can be simulated.
TEST(ShippedNetworkTable, HasTheMeasuredConvolutions) {
  std::vector<double> speedups;
  for (const MeasuredNetwork& row :
       read_measured_networks(STCSIM_SOURCE_DIR "/configs/validation/networks.csv")) {
    if (!row.network.starts_with("conv ")) continue;
    EXPECT_EQ(row.unusable, "") << row.network;
    EXPECT_TRUE(row.inference);
    speedups.push_back(*row.measured.speedup.low);
  }
  EXPECT_EQ(speedups, (std::vector<double>{1.52, 1.77, 1.64, 1.75, 1.85}));
}

/// Columns that may be left out: what the card and the script are known to differ in.
TEST_F(NetworkTable, KnowsTheCardsClockAndTheOptimizer) {
  const auto read = [&](const std::string& cells) {
    std::string header = kNetworkHeader;
    header.insert(header.size() - 1, ",optimizer,clock_mhz");
    std::ofstream(path_) << header << "s,A100,,N,,,1,,ms,,dense,net,8,forward,dense,step,," << cells
                         << "\n";
    return read_measured_networks(path_).at(0);
  };
  EXPECT_EQ(read(",").optimizer, std::nullopt);
  EXPECT_EQ(read(",").clock_mhz, std::nullopt);
  EXPECT_EQ(read("lamb,1695").optimizer, Optimizer::lamb);
  EXPECT_EQ(read("lamb,1695").clock_mhz, 1695.0);
  EXPECT_THROW(read("sdg,"), ConfigError);
  EXPECT_THROW(read(",fast"), ConfigError);
}

}  // namespace
}  // namespace stcsim
