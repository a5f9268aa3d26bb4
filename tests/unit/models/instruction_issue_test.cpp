#include "models/warp_scheduler/instruction_issue.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

struct Arrival {
  std::int64_t at;
  std::int64_t warp;
  std::int64_t count;
};

struct End {
  std::int64_t warp;
  std::int64_t at;

  friend auto operator<=>(const End&, const End&) = default;
};

void PrintTo(const End& end, std::ostream* out) {
  *out << "warp " << end.warp << " at " << end.at;
}

struct Port {
  std::int64_t interval;
  std::int64_t bubble_millicycles;
  bool between_warps = false;

  /// No bubble is longer.
  [[nodiscard]] std::int64_t longest_bubble() const { return (bubble_millicycles + 999) / 1000; }
};

/// The issue port one cycle at a time. Arrivals are in order of time; those of a cycle take part in
/// its choice.
class NaiveIssue {
 public:
  explicit NaiveIssue(Port port) : port_(port) {}

  std::vector<End> run(const std::vector<Arrival>& arrivals) {
    std::size_t next = 0;
    for (std::int64_t now = 0; next < arrivals.size() || !waiting_.empty(); ++now) {
      for (; next < arrivals.size() && arrivals[next].at == now; ++next) add(arrivals[next]);
      if (!waiting_.empty() && now >= may_issue()) issue(now);
    }
    return ends_;
  }

 private:
  [[nodiscard]] bool follows_itself() const { return waiting_.front().warp == last_; }
  [[nodiscard]] bool follows_bubble() const {
    return port_.between_warps ? last_ >= 0 : follows_itself();
  }
  /// So many bubbles in a row, rounded to the nearest cycle.
  [[nodiscard]] std::int64_t bubbles(std::int64_t count) const {
    return (count * port_.bubble_millicycles + 500) / 1000;
  }
  [[nodiscard]] std::int64_t may_issue() const {
    return free_at_ + (follows_bubble() ? bubbles(in_a_row_ + 1) - bubbles(in_a_row_) : 0);
  }
  void add(const Arrival& arrival) {
    const bool first_yields = waiting_.size() == 1 && follows_itself();
    if (first_yields) {
      waiting_.push_front(arrival);
    } else {
      waiting_.push_back(arrival);
    }
  }
  void issue(std::int64_t now) {
    in_a_row_ = follows_bubble() ? in_a_row_ + 1 : 0;
    Arrival batch = waiting_.front();
    waiting_.pop_front();
    last_ = batch.warp;
    free_at_ = now + port_.interval;
    if (--batch.count > 0) {
      waiting_.push_back(batch);
    } else {
      last_ = -1;
      ends_.push_back({batch.warp, free_at_});
    }
  }

  Port port_;
  std::deque<Arrival> waiting_;
  std::int64_t free_at_ = 0;
  std::int64_t last_ = -1;
  std::int64_t in_a_row_ = 0;
  std::vector<End> ends_;
};

InstructionIssue issue_port(Port port) {
  InstructionIssue issue;
  issue.configure(Cycles(port.interval), Millicycles(port.bubble_millicycles), port.between_warps);
  return issue;
}

/// The closed form, active only at arrivals and at the cycles it names itself.
std::vector<End> run_closed_form(Port port, const std::vector<Arrival>& arrivals) {
  InstructionIssue issue = issue_port(port);
  std::vector<End> ends;
  std::vector<std::int64_t> ended;
  std::size_t next = 0;
  while (next < arrivals.size() || !issue.idle()) {
    std::int64_t now = next < arrivals.size() ? arrivals[next].at : issue.next_end().index();
    now = std::min(now, issue.next_end().index());
    ended.clear();
    issue.run_until(Cycle(now), ended);
    for (const std::int64_t warp : ended) ends.push_back({warp, now});
    for (; next < arrivals.size() && arrivals[next].at == now; ++next) {
      issue.add(arrivals[next].warp, arrivals[next].count, Cycle(now));
    }
  }
  return ends;
}

TEST(InstructionIssue, OneWarpWaitsOutItsBubble) {
  EXPECT_EQ(run_closed_form({8, 1000}, {{5, 0, 4}}), (std::vector<End>{{0, 5 + 3 * 9 + 8}}));
}

TEST(InstructionIssue, TwoWarpsFillThePort) {
  EXPECT_EQ(run_closed_form({8, 1000}, {{5, 0, 4}, {5, 1, 4}}),
            (std::vector<End>{{0, 5 + 7 * 8}, {1, 5 + 8 * 8}}));
}

/// Warp 0 issues at 0, 4, 8, 12 in turn with warp 1 at 2, 6; alone again, it pays the bubble: 10+3.
TEST(InstructionIssue, AWarpLeftAlonePaysTheBubbleAgain) {
  EXPECT_EQ(run_closed_form({2, 3000}, {{0, 0, 4}, {0, 1, 2}}),
            (std::vector<End>{{1, 8}, {0, 8 + 2 + 3 + 2}}));
}

/// Bubbles of 0.7 cycles in the mean are 1, 0, 1, 1, 1, 0, 1, 1, 0, 1 cycles; a batch that ends,
/// and one of another warp, begin anew.
TEST(InstructionIssue, BubblesAddUpToTheirMean) {
  for (std::int64_t count = 1; count <= 21; ++count) {
    const std::int64_t end = 4 * count + std::lround(0.7 * static_cast<double>(count - 1));
    EXPECT_EQ(run_closed_form({4, 700}, {{0, 0, count}, {end, 0, 2}}),
              (std::vector<End>{{0, end}, {0, end + 9}}));
  }
  // warp 0 at 0, 5, 9, warp 1 at 13, warp 0 at 17, 22, 26
  EXPECT_EQ(run_closed_form({4, 700}, {{0, 0, 6}, {10, 1, 1}}),
            (std::vector<End>{{1, 17}, {0, 30}}));
}

/// Warps 0, 1, 0, 1 at 0, 5, 9, 14 (bubbles of half a cycle in the mean: 1, 0, 1); what comes
/// behind the end of a batch pays none.
TEST(InstructionIssue, BubblesMayAlsoBeBetweenWarps) {
  EXPECT_EQ(run_closed_form({4, 500, true}, {{0, 0, 2}, {0, 1, 2}}),
            (std::vector<End>{{0, 9 + 4}, {1, 13 + 4}}));
  EXPECT_EQ(run_closed_form({4, 500, true}, {{0, 0, 3}, {0, 1, 3}}),
            (std::vector<End>{{0, 18 + 4}, {1, 22 + 4}}));
}

TEST(InstructionIssue, AWarpsNextBatchPaysNoBubble) {
  EXPECT_EQ(run_closed_form({4, 3000}, {{0, 0, 2}, {11, 0, 2}}),
            (std::vector<End>{{0, 11}, {0, 11 + 7 + 4}}));
  EXPECT_EQ(run_closed_form({4, 3000}, {{0, 0, 1}, {4, 0, 1}}), (std::vector<End>{{0, 4}, {0, 8}}));
  EXPECT_EQ(run_closed_form({4, 3000}, {{0, 0, 1}, {7, 0, 1}}),
            (std::vector<End>{{0, 4}, {0, 11}}));
  EXPECT_EQ(run_closed_form({4, 3000}, {{0, 0, 1}, {8, 0, 1}}),
            (std::vector<End>{{0, 4}, {0, 12}}));
}

TEST(InstructionIssue, CountsWhatIsDueBeforeNow) {
  InstructionIssue issue = issue_port({8, 0});
  std::vector<std::int64_t> ended;
  issue.add(0, 3, Cycle(10));
  issue.run_until(Cycle(10), ended);
  EXPECT_EQ(issue.issued(), 0);
  issue.run_until(Cycle(11), ended);
  EXPECT_EQ(issue.issued(), 1);
  issue.run_until(Cycle(18), ended);
  EXPECT_EQ(issue.issued(), 1);
  issue.run_until(Cycle(19), ended);
  EXPECT_EQ(issue.issued(), 2);
  EXPECT_TRUE(ended.empty());
  EXPECT_EQ(issue.next_end(), Cycle(10 + 3 * 8));
}

TEST(InstructionIssue, AnIdlePortHasNoEnd) {
  EXPECT_EQ(issue_port({8, 1000}).next_end(), kNever);
  EXPECT_TRUE(issue_port({8, 1000}).idle());
}

/// Whole cycles, and means between them.
std::int64_t random_bubble(std::mt19937& random) {
  return static_cast<std::int64_t>(random() % 2 == 0 ? random() % 4 * 1000 : random() % 3500);
}

/// Sets of batches that arrive together; the next set comes when the port is idle, after a pause.
std::vector<Arrival> random_sets(std::mt19937& random, Port port) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<Arrival> arrivals;
  std::int64_t at = below(5);
  for (int set = 0; set < 4; ++set) {
    const std::int64_t warps = 1 + below(5);
    const std::int64_t first = below(8);
    std::int64_t instructions = 0;
    for (std::int64_t warp = 0; warp < warps; ++warp) {
      arrivals.push_back({at, (first + warp) % 8, 1 + below(below(2) == 0 ? 4 : 60)});
      instructions += arrivals.back().count;
    }
    at += instructions * (port.interval + port.longest_bubble()) + below(port.longest_bubble() + 3);
  }
  return arrivals;
}

TEST(InstructionIssue, EqualsTheCycleByCycleReference) {
  constexpr unsigned kSeed = 71;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    const Port port{1 + static_cast<std::int64_t>(random() % 9), random_bubble(random),
                    random() % 2 == 0};
    const std::vector<Arrival> arrivals = random_sets(random, port);
    ASSERT_EQ(run_closed_form(port, arrivals), NaiveIssue(port).run(arrivals))
        << "round " << round << ", seed " << kSeed << ", interval " << port.interval << ", bubble "
        << port.bubble_millicycles;
  }
}

/// Batches of eight warps at any time; a warp offers its next batch after its last has ended.
std::vector<Arrival> random_arrivals(std::mt19937& random, Port port) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<Arrival> arrivals;
  std::int64_t at = below(5);
  std::vector<std::int64_t> free_from(8, 0);
  for (int batch = 0; batch < 12; ++batch) {
    at += below(20);
    std::vector<std::int64_t> able;
    for (std::int64_t warp = 0; warp < 8; ++warp) {
      if (free_from[static_cast<std::size_t>(warp)] <= at) able.push_back(warp);
    }
    if (able.empty()) continue;
    const std::int64_t warp = able[static_cast<std::size_t>(below(std::ssize(able)))];
    arrivals.push_back({at, warp, 1 + below(below(2) == 0 ? 4 : 60)});
    for (const End& end : NaiveIssue(port).run(arrivals)) {
      auto& from = free_from[static_cast<std::size_t>(end.warp)];
      from = std::max(from, end.at);
    }
    // later arrivals may delay it: a generous bound keeps a warp to one batch at a time
    free_from[static_cast<std::size_t>(warp)] += 12 * 64 * (port.interval + port.longest_bubble());
  }
  return arrivals;
}

TEST(InstructionIssue, EqualsTheCycleByCycleReferenceWheneverBatchesArrive) {
  constexpr unsigned kSeed = 72;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    const Port port{1 + static_cast<std::int64_t>(random() % 9), random_bubble(random),
                    random() % 2 == 0};
    const std::vector<Arrival> arrivals = random_arrivals(random, port);
    std::string text;
    for (const Arrival& a : arrivals) {
      text += " (" + std::to_string(a.at) + ", warp " + std::to_string(a.warp) + ", " +
              std::to_string(a.count) + ")";
    }
    ASSERT_EQ(run_closed_form(port, arrivals), NaiveIssue(port).run(arrivals))
        << "round " << round << ", seed " << kSeed << ", interval " << port.interval << ", bubble "
        << port.bubble_millicycles << text;
  }
}

/// Warp 0 would wait out its bubble until 11; warp 1 arrives meanwhile, at 10: it issues at 10, not
/// at 8, when the port became free.
TEST(InstructionIssue, AnInstructionIsNotIssuedBeforeItArrives) {
  EXPECT_EQ(run_closed_form({8, 3000}, {{0, 0, 2}, {10, 1, 1}}),
            (std::vector<End>{{1, 18}, {0, 26}}));
}

/// Looking at the port in the middle of a batch's last interval does not end the batch.
TEST(InstructionIssue, ABatchEndsWithItsLastInterval) {
  InstructionIssue issue = issue_port({8, 0});
  std::vector<std::int64_t> ended;
  issue.add(0, 1, Cycle(10));
  issue.run_until(Cycle(17), ended);
  EXPECT_TRUE(ended.empty());
  issue.run_until(Cycle(18), ended);
  EXPECT_EQ(ended, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace stcsim
