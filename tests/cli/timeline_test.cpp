#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;

using Words = std::vector<std::string>;
/// Cycles by unit and bucket.
using BucketSums = std::map<std::string, std::map<std::string, std::int64_t>>;

struct TraceSlice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string name;
};

/// A trace, as this reader of Chrome's format sees it.
class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path& file) {
    std::ifstream stream(file);
    document_ = json::parse(stream);
    for (const json& event : document_.at("traceEvents")) take(event);
  }

  [[nodiscard]] const json& about() const { return document_.at("otherData"); }
  [[nodiscard]] const BucketSums& sums() const { return sums_; }
  [[nodiscard]] const std::map<int, std::vector<TraceSlice>>& tracks() const { return tracks_; }
  [[nodiscard]] const std::map<int, std::string>& names() const { return names_; }
  /// Of each flow the phases, tracks and times.
  [[nodiscard]] const std::map<int, std::vector<json>>& flows() const { return flows_; }

  /// Whether something on that track goes on at that time.
  [[nodiscard]] bool is_in_slice(int track, std::int64_t at) const {
    const std::vector<TraceSlice>& slices = tracks_.at(track);
    return std::ranges::any_of(
        slices, [at](const TraceSlice& one) { return one.begin <= at && at < one.end; });
  }

 private:
  void take(const json& event) {
    const int track = event.value("tid", -1);
    const std::string phase = event.at("ph");
    if (phase == "M" && event.at("name") == "thread_name") {
      names_[track] = event.at("args").at("name");
    }
    if (phase == "s" || phase == "t" || phase == "f") flows_[event.at("id")].push_back(event);
    if (phase != "X") return;
    const std::int64_t begin = event.at("ts");
    const std::int64_t length = event.at("dur");
    EXPECT_GT(length, 0);
    tracks_[track].push_back({begin, begin + length, event.at("name")});
    sums_[event.at("cat")][event.at("name")] += length;
    const auto arguments = event.value("args", json::object());
    if (event.at("name") == "mma") sums_[event.at("cat")]["busy"] += arguments.value("busy", 0);
  }

  json document_;
  BucketSums sums_;
  std::map<int, std::vector<TraceSlice>> tracks_;
  std::map<int, std::string> names_;
  std::map<int, std::vector<json>> flows_;
};

/// Slices of a track lie beside each other or inside each other.
void expect_nested(const std::vector<TraceSlice>& slices) {
  std::vector<TraceSlice> sorted = slices;
  std::ranges::stable_sort(sorted, [](const TraceSlice& a, const TraceSlice& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<TraceSlice> around;
  for (const TraceSlice& slice : sorted) {
    while (!around.empty() && around.back().end <= slice.begin) around.pop_back();
    if (!around.empty()) {
      EXPECT_LE(slice.end, around.back().end) << slice.name << " in " << around.back().name;
    }
    around.push_back(slice);
  }
}

/// What the slices of a unit's buckets sum to: "mma" stands for busy and issue_gap.
void expect_sums(const BucketSums& sums, const json& units) {
  for (const char* const unit : {"tensor_core", "copy_engine", "shared_memory", "epilogue"}) {
    const auto all = sums.find(unit);
    const auto sum_of = [&](const std::string& bucket) {
      if (all == sums.end() || !all->second.contains(bucket)) return std::int64_t{0};
      return all->second.at(bucket);
    };
    const json& buckets = units.at(unit);
    for (const auto& [bucket, cycles] : buckets.items()) {
      if (bucket == "idle" || bucket == "instances" || bucket == "issue_gap") continue;
      EXPECT_EQ(sum_of(bucket), cycles.get<std::int64_t>()) << unit << " " << bucket;
    }
    EXPECT_EQ(sum_of("mma"), buckets.contains("issue_gap")
                                 ? buckets.at("busy").get<std::int64_t>() +
                                       buckets.at("issue_gap").get<std::int64_t>()
                                 : 0);
  }
}

class Timeline : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const char* name = "t.json") const {
    return (folder_.path() / name).string();
  }
  /// Runs a GEMM with a timeline and without; their results must be the same.
  [[nodiscard]] json run(const Words& gemm) const {
    Words arguments{"gemm", "--format", "json"};
    arguments.insert(arguments.end(), gemm.begin(), gemm.end());
    const ProgramResult without = run_stcsim(arguments);
    arguments.insert(arguments.end(), {"--timeline", file(), "--timeline-cycles", cycles_});
    const ProgramResult result = run_stcsim(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, without.out);
    return json::parse(result.out);
  }
  std::string cycles_ = "10000000";

 private:
  TemporaryDirectory folder_;
};

/// Launches of one SM, seen to their end: the printed statistics are that SM's.
class WholeLaunch : public Timeline, public testing::WithParamInterface<Words> {};

TEST_P(WholeLaunch, SlicesSumToThePrintedBucketsAndNest) {
  const json gemm = run(GetParam());
  const TraceFile trace(file());
  EXPECT_EQ(trace.about().at("is_whole_launch"), true);
  EXPECT_EQ(trace.about().at("cycles"), gemm.at("cycles"));
  expect_sums(trace.sums(), gemm.at("buckets"));
  for (const auto& [track, slices] : trace.tracks()) {
    SCOPED_TRACE(trace.names().at(track));
    expect_nested(slices);
    for (const TraceSlice& slice : slices) {
      EXPECT_LE(slice.end, gemm.at("cycles").get<std::int64_t>()) << slice.name;
    }
  }
}

TEST_P(WholeLaunch, EveryKStepOfEveryCtaFlowsFromItsCopyToItsUse) {
  const json gemm = run(GetParam());
  const TraceFile trace(file());
  const std::int64_t tile_k = gemm.at("kernel").at("tile_k");
  const std::int64_t steps = (gemm.at("k").get<std::int64_t>() + tile_k - 1) / tile_k;
  EXPECT_EQ(std::ssize(trace.flows()), steps * gemm.at("kernel").at("ctas").get<std::int64_t>());
  for (const auto& [id, flow] : trace.flows()) {
    ASSERT_EQ(flow.size(), 3U);
    std::int64_t before = 0;
    for (std::size_t at = 0; at < flow.size(); ++at) {
      EXPECT_EQ(flow[at].at("ph"), std::string(1, "stf"[at]));
      EXPECT_GE(flow[at].at("ts"), before);
      before = flow[at].at("ts");
      EXPECT_TRUE(trace.is_in_slice(flow[at].at("tid"), before)) << id << " " << at;
    }
    EXPECT_EQ(trace.names().at(flow[0].at("tid")), "copies");
    EXPECT_THAT(trace.names().at(flow[1].at("tid")), HasSubstr("stage"));
    EXPECT_THAT(trace.names().at(flow[2].at("tid")), HasSubstr("tensor core"));
  }
}

Words on(const std::string& machine, const Words& more) {
  Words gemm{"--arch", machine, "--set", "accelerator.num_sms=1"};
  gemm.insert(gemm.end(), more.begin(), more.end());
  return gemm;
}
INSTANTIATE_TEST_SUITE_P(Of, WholeLaunch,
                         testing::Values(on("a100", {"256", "256", "512"}),
                                         on("a100", {"256", "384", "520", "--sparsity", "2:4"}),
                                         // Two CTAs at a time.
                                         on("a100", {"256", "256", "512", "--kernel",
                                                     "dense_64x64x32_s10"}),
                                         // Persistent; copies do not pass the port.
                                         on("h100_sxm", {"512", "512", "512", "--sparsity", "2:4"}),
                                         on("a100", {"128", "128", "256", "--detail", "stages",
                                                     "--set", "accelerator.sm.queues=2"})));

TEST_F(Timeline, AWindowEndsWithoutTheRestOfTheLaunch) {
  cycles_ = "6000";
  const json gemm = run({"--arch", "a100", "1024", "1024", "1024", "--sparsity", "2:4"});
  EXPECT_GT(gemm.at("cycles"), 6000);
  const TraceFile trace(file());
  EXPECT_EQ(trace.about().at("is_whole_launch"), false);
  EXPECT_EQ(trace.about().at("cycles"), 6000);
  expect_sums(trace.sums(), trace.about().at("statistics"));
  for (const auto& [track, slices] : trace.tracks()) {
    expect_nested(slices);
    for (const TraceSlice& slice : slices) {
      const bool is_queued = slice.name == "fill" || slice.name == "fetch";  // at the port
      EXPECT_TRUE(is_queued || slice.begin < 6000) << slice.name << " " << slice.begin;
    }
  }
  EXPECT_GT(trace.flows().size(), 0U);
}

TEST_F(Timeline, BarriersOpenOnceAKStepAndStagesHoldOneAtATime) {
  const json gemm = run(on("a100", {"128", "128", "512", "--kernel", "dense_128x128x32_s4"}));
  ASSERT_EQ(gemm.at("kernel").at("ctas"), 1);
  const TraceFile trace(file());
  std::map<std::string, int> counts;
  for (const auto& [track, slices] : trace.tracks()) {
    for (const TraceSlice& slice : slices)
      ++counts[trace.names().at(track).substr(0, 5) + slice.name];
  }
  constexpr int kSteps = 512 / 32;
  EXPECT_EQ(counts["stageloading"], kSteps);
  EXPECT_EQ(counts["stagefull"], kSteps);
  EXPECT_EQ(counts["barribarrier"], kSteps - 1);
  EXPECT_EQ(counts["CTA sCTA"], 1);
}

}  // namespace
}  // namespace stcsim
