// The published results that are shipped, and their readers.
#include "curves/published.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curves/analysis.hpp"
#include "curves/read_runs.hpp"
#include "curves/statistics.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim::curves {
namespace {

using stcsim::test::message_of;
using stcsim::test::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kConfigs = STCSIM_SOURCE_DIR "/configs/";
const std::string kShipped = kConfigs + "curves/";

const PublishedFinal* find_final(const std::vector<PublishedFinal>& rows, const std::string& scheme,
                                 const std::string& network, const std::string& pattern) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const PublishedFinal& row) {
    return row.scheme == scheme && row.network == network && row.pattern == pattern;
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Against the tables of the publications themselves.
TEST(PublishedFinals, SaySomeFiguresOfTheirSources) {
  const std::vector<PublishedFinal> rows = read_published_finals(kShipped + "final_values.csv");
  const PublishedFinal* row = find_final(rows, "SDGP rescaled magnitude", "ResNet-50", "2:4");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->dense, 78.1);
  EXPECT_EQ(row->sparse, 77.6);
  EXPECT_EQ(row->config, "sdgp");
  row = find_final(rows, "SDGP rescaled magnitude", "ResNet-9", "4:32");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->sparse, 94.9);
  row = find_final(rows, "SR-STE", "ResNet-50", "2:4");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->sparse, 77.0);
  const auto repeats = std::count_if(rows.begin(), rows.end(), [](const PublishedFinal& one) {
    return one.pattern == "dense" && one.network == "ResNet-50" && one.dense && *one.dense > 77.2;
  });
  EXPECT_EQ(repeats, 4);
}

TEST(PublishedFinals, NameTheirSourceAndWhatIsMissing) {
  for (const PublishedFinal& row : read_published_finals(kShipped + "final_values.csv")) {
    SCOPED_TRACE(row.where.to_string());
    EXPECT_FALSE(row.source.empty());
    EXPECT_FALSE(row.missing.empty());
    EXPECT_EQ(row.dense.has_value(), row.missing.find("dense value") == std::string::npos);
    if (!row.config.empty()) {
      EXPECT_TRUE(std::filesystem::exists(kConfigs + "schemes/" + row.config + ".yaml"));
    }
    if (!row.network_config.empty()) {
      EXPECT_TRUE(std::filesystem::exists(kConfigs + "networks/" + row.network_config + ".yaml"));
    }
  }
}

TEST(PublishedCrossings, AreDistributionsOverSeeds) {
  const std::vector<PublishedCrossing> rows = read_published_crossings(kShipped + "to_target.csv");
  EXPECT_EQ(rows.size(), 398U);
  const auto crossings_of = [&](const std::string& network, double batch) {
    std::vector<double> values;
    for (const PublishedCrossing& row : rows) {
      if (row.network == network && row.batch == batch) values.push_back(row.to_target);
    }
    return values;
  };
  const std::vector<double> bert = crossings_of("bert_large", 448);
  ASSERT_EQ(bert.size(), 27U);
  EXPECT_THAT(std::vector<double>(bert.end() - 4, bert.end()),
              ElementsAre(2703232, 3002944, 2552704, 2403520));
  EXPECT_TRUE(spread_of(bert, 1).interval.has_value());
  EXPECT_EQ(crossings_of("resnet50", 1632).size(), 17U);
  EXPECT_THAT(crossings_of("resnet50", 1), IsEmpty());
  std::set<Axis> axes;
  for (const PublishedCrossing& row : rows) {
    axes.insert(row.axis);
    EXPECT_EQ(row.target, row.network == "resnet50" ? 0.759 : 0.72);
  }
  EXPECT_THAT(axes, ElementsAre(Axis::epochs, Axis::samples));
}

/// The runs of a DGX A100 are there as curves too, which cross where the table says.
TEST(PublishedCurves, CrossWhereTheTableSays) {
  const std::vector<double> samples{2703232, 3002944, 2552704, 2403520};
  for (std::size_t run = 0; run < samples.size(); ++run) {
    const RunFile file = read_runs(kShipped + "mlperf20_bert_run" + std::to_string(run) + ".csv",
                                   {.format = {}, .axis = Axis::samples});
    EXPECT_THAT(file.notes, IsEmpty());
    EXPECT_EQ(first_crossing(*file.runs.at(0).find("eval_accuracy"), {0.72, false}), samples[run]);
  }
  const RunFile resnet = read_runs(kShipped + "mlperf20_resnet50_run0.csv");
  EXPECT_EQ(first_crossing(*resnet.runs.at(0).find("eval_accuracy"), {0.759, false}), 35.0);
}

TEST(Published, SaysWhatIsWrong) {
  const TemporaryDirectory folder;
  const auto error = [&](const std::string& text) {
    std::ofstream(folder / "t.csv") << text;
    const std::string message = message_of<ConfigError>(
        [&] { static_cast<void>(read_published_crossings(folder / "t.csv")); });
    return message.substr(message.find("t.csv"));
  };
  const std::string header = "source,network,metric,target,batch,optimizer,to_target,unit\n";
  EXPECT_EQ(error(header + "s,n,m,x,8,,9,epochs\n"),
            "t.csv:2:7: error: 'target' is 'x', must be a number or blank");
  EXPECT_EQ(error(header + "s,n,m,,8,,9,epochs\n"),
            "t.csv:2:7: error: 'target' is '', must be a number above 0");
  EXPECT_EQ(
      error(header + "s,n,m,1,8,,9,laps\n"),
      "t.csv:2:14: error: 'unit' is 'laps', must be epochs, steps, samples, hours or seconds");
  EXPECT_EQ(error(header + ",n,m,1,8,,9,steps\n"),
            "t.csv:2:1: error: 'source' is blank, must be there");
}

}  // namespace
}  // namespace stcsim::curves
