#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/page/page_document.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json result(const std::string& layer, std::int64_t m, std::int64_t cycles,
                    const ordered_json& changes = ordered_json::object()) {
  ordered_json row{{"machine", "a"},
                   {"network", "n"},
                   {"layer", layer},
                   {"phase", "forward"},
                   {"scheme", "s"},
                   {"repeat", 1},
                   {"every", 1},
                   {"m", m},
                   {"n", 8},
                   {"k", 8},
                   {"batch_count", 1},
                   {"dtype", "fp16"},
                   {"pattern", "2:4"},
                   {"hardware_pattern", "2:4"},
                   {"ran_sparse", true},
                   {"longest_part", 1},
                   {"cycles", cycles},
                   {"dense_cycles", 100}};
  row.update(changes);
  return row;
}

ordered_json study_of(std::initializer_list<ordered_json> results) {
  ordered_json study{{"totals", ordered_json::array()}, {"results", results}};
  study["totals"].push_back({{"machine", "a"},
                             {"network", "n"},
                             {"scheme", "s"},
                             {"pass", "training"},
                             {"clock_mhz", 1410}});
  study["totals"].push_back({{"machine", "a"},
                             {"network", "n"},
                             {"scheme", "s"},
                             {"pass", "inference"},
                             {"clock_mhz", 900}});
  return study;
}

std::vector<std::string> layers_of(const ordered_json& study, std::size_t count) {
  std::vector<std::string> names;
  for (const WorstGemm& gemm : worst_gemms(study, count)) names.push_back(gemm.layer);
  return names;
}

TEST(WorstGemms, TheLargestLossAgainstTheIdealFirst) {
  // The ideal is 50 cycles: 10, 30 twice, and 300 in every tenth step are lost.
  const ordered_json study =
      study_of({result("small", 1, 60), result("twice", 2, 80, {{"repeat", 2}}),
                result("rare", 3, 350, {{"every", 10}}),
                result("one_in_eight", 4, 63, {{"hardware_pattern", "1:8"}})});
  EXPECT_EQ(layers_of(study, 10),
            (std::vector<std::string>{"twice", "one_in_eight", "rare", "small"}));
  EXPECT_EQ(layers_of(study, 2), (std::vector<std::string>{"twice", "one_in_eight"}));
  EXPECT_EQ(layers_of(study, 0), std::vector<std::string>{});
}

TEST(WorstGemms, TheSameProblemIsThereOnceAndDenseOnesAreNot) {
  const ordered_json study =
      study_of({result("first", 1, 70), result("again", 1, 70), result("other", 2, 80),
                result("dense", 3, 100, {{"ran_sparse", false}})});
  EXPECT_EQ(layers_of(study, 10), (std::vector<std::string>{"first", "other"}));
}

TEST(WorstGemms, AreFoundAgainByNamesPartAndClock) {
  const std::vector<WorstGemm> worst =
      worst_gemms(study_of({result("l", 1, 70, {{"phase", "inference"}, {"longest_part", 3}})}), 1);
  ASSERT_EQ(worst.size(), 1U);
  EXPECT_EQ(worst[0].machine, "a");
  EXPECT_EQ(worst[0].network, "n");
  EXPECT_EQ(worst[0].phase, "inference");
  EXPECT_EQ(worst[0].scheme, "s");
  EXPECT_EQ(worst[0].part, 2U);
  EXPECT_EQ(worst[0].clock_mhz, 900);
}

}  // namespace
}  // namespace stcsim
