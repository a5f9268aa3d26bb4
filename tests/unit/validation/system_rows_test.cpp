#include "reports/validation/system_rows.hpp"

#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "reports/validation/errors.hpp"
#include "sim/config/system.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

std::vector<MeasuredSystem> shipped_rows(const char* table) {
  return read_measured_systems(config_directory() / "validation" / table);
}

TEST(SystemFiles, AllAreReadAndNameAMachine) {
  for (const CatalogEntry& entry : list_configs(ConfigKind::system)) {
    const SystemConfig system = load_system(entry.name);
    EXPECT_EQ(system.name, entry.name);
    EXPECT_TRUE(names_config(ConfigKind::machine, system.machine)) << system.machine;
  }
}

/// Numbers of links near zero would make times without end.
TEST(SystemFiles, LinksHaveRanges) {
  const test::TemporaryDirectory folder;
  const std::string text = test::read_file(config_directory() / "systems" / "dgx_a100.yaml");
  const auto error_with = [&](const std::string& key, const std::string& number) {
    std::string changed = text;
    const std::size_t at = changed.find(key + ": ") + key.size() + 2;
    changed.replace(at, changed.find_first_of(" ,}", at) - at, number);
    std::ofstream(folder.path() / "mine.yaml") << changed;
    return test::message_of<ConfigError>(
        [&] { static_cast<void>(load_system((folder.path() / "mine.yaml").string())); });
  };
  const std::string place = (folder.path() / "mine.yaml").string() + ":";
  EXPECT_EQ(error_with("gb_per_s", "1e-320"),
            place + "9:13: error: 'gb_per_s' is '1e-320', must be a number from 0.001 to 1000000");
  EXPECT_THAT(error_with("own_gb_per_s", "0"), HasSubstr("must be a number from 0.001 to 1000000"));
  EXPECT_THAT(error_with("share", "1e-9"), HasSubstr("'share' is '1e-9', must be a number from "
                                                     "0.001 to 1"));
}

TEST(SystemRows, SizesOfCollectivesTakeTurnsAtFittingAndTesting) {
  std::int64_t scored = 0;
  for (const MeasuredSystem& row : shipped_rows("collectives.csv")) {
    if (row.use == RowUse::shown) continue;
    ++scored;
    const auto bytes = static_cast<std::int64_t>(row.bytes);
    const bool is_power_of_four = (bytes & 0x5555555555555555) != 0;
    EXPECT_EQ(row.use, is_power_of_four ? RowUse::fitting : RowUse::testing) << row.where.line;
    EXPECT_EQ(row.nodes, 1);
  }
  EXPECT_EQ(scored, 693);
}

/// Of sizes that were not looked at; those that were may not do worse either.
TEST(SystemRows, CollectivesAreWithinFifteenPercentOnEverySystem) {
  std::map<std::pair<std::string, RowUse>, std::vector<std::pair<double, double>>> points;
  for (const SystemRow& row : validate_systems(shipped_rows("collectives.csv"), {})) {
    const MeasuredSystem& measured = row.measured;
    if (measured.use == RowUse::shown || measured.bytes < kLeastCollectiveBytes) continue;
    points[{measured.system, measured.use}].emplace_back(measured.us, row.us.value());
  }
  std::set<std::string> systems;
  for (const auto& [key, of_key] : points) {
    systems.insert(key.first);
    EXPECT_LE(error_statistics(of_key).mean_absolute, 0.15) << key.first;
  }
  EXPECT_EQ(systems, (std::set<std::string>{"b200_8", "dgx_a100", "dgx_h100", "l40s_8"}));
}

class SystemTable : public ::testing::Test {
 protected:
  std::vector<MeasuredSystem> collectives(const std::string& row) {
    return read("source,gpu,system,collective,gpus,nodes,bytes,time_us,bus_gb_per_s,use", row);
  }
  std::vector<MeasuredSystem> trainings(const std::string& row) {
    return read(
        "source,gpu,value,unit,series,use,system,model,framework,dtype,micro_batch,accumulation,"
        "gpus,tokens,sharding,gradients,overlap",
        row);
  }
  template <class Read>
  static std::string error_of(const Read& read) {
    const std::string message = test::message_of<ConfigError>([&] { (void)read(); });
    return message.substr(message.find("t.csv"));
  }

 private:
  std::vector<MeasuredSystem> read(const char* header, const std::string& row) {
    std::ofstream(path_) << header << "\n" << row << "\n";
    return read_measured_systems(path_);
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "t.csv";
};

TEST_F(SystemTable, TakesBusBandwidthForATime) {
  const auto rows = collectives("s,A100,,all_reduce,8,1,8000000,,140,shown");
  EXPECT_DOUBLE_EQ(rows.at(0).us, 100);
  EXPECT_EQ(validate_systems(rows, {}).at(0).skipped, "no system for GPU 'A100'");
}

TEST_F(SystemTable, TakesThroughputForATime) {
  const auto us = [&](const std::string& row) { return trainings(row).at(0).us; };
  // 32 samples a GPU and micro-batch, four of those.
  EXPECT_DOUBLE_EQ(us("s,A,1000,images/s,a,shown,x,m,f,tf32,32,4,8,1,ddp,fp32,true"), 1.024e6);
  EXPECT_DOUBLE_EQ(us("s,A,1000,tokens/s/GPU,a,shown,x,m,f,bf16,2,4,8,512,fsdp,fp32,true"),
                   4.096e6);
}

TEST_F(SystemTable, NamesWhatIsWrong) {
  EXPECT_EQ(error_of([&] { return collectives("s,A,d,gather,2,1,64,1,,testing"); }),
            "t.csv:2:7: error: 'collective' is 'gather', must be one of all_reduce, all_gather, "
            "reduce_scatter, all_to_all");
  EXPECT_EQ(error_of([&] { return collectives("s,A,d,all_reduce,2,1,64,,,testing"); }),
            "t.csv:2:22: error: a row must have one of time_us and bus_gb_per_s");
  EXPECT_EQ(error_of([&] {
              return trainings("s,A,9,steps,a,shown,x,m,f,bf16,2,4,8,512,fsdp,fp32,true");
            }),
            "t.csv:2:7: error: 'unit' is 'steps', must be sequences/s, images/s, samples/s or "
            "tokens/s/GPU");
}

}  // namespace
}  // namespace stcsim
