#include "models/base/core_unit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/base/core_hooks.hpp"
#include "models/base/unit_agenda.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {
namespace {

struct Listed {
  static constexpr Hooks kHooks{
      .visit_ports = true, .visit_statistics = true, .finish = true, .observer = true};

  std::optional<Cycle> advance(Cycle) { return {}; }
  template <class Visitor>
  void visit_ports(Visitor&) {}
  template <class Visitor>
  void visit_statistics(Visitor&, Cycle) const {}
  void finish(Cycle) {}
  Wired<ProgressObserver*> observer;
};

struct Misspelt {
  static constexpr Hooks kHooks{.finish = true};

  std::optional<Cycle> advance(Cycle) { return {}; }
  void finnish(Cycle) {}
};

struct WithoutItsEnd {
  static constexpr Hooks kHooks{.finish = true};

  std::optional<Cycle> advance(Cycle) { return {}; }
  void finish() {}
};

struct ChangedByStatistics {
  static constexpr Hooks kHooks{.visit_statistics = true};

  template <class Visitor>
  void visit_statistics(Visitor&, Cycle) {}
};

struct Unlisted {
  static constexpr Hooks kHooks{};

  std::optional<Cycle> advance(Cycle) { return {}; }
  [[nodiscard]] static std::string waiting_for() { return "Godot"; }
};

struct WithoutList {
  std::optional<Cycle> advance(Cycle) { return {}; }
};

struct Inactive {
  static constexpr Hooks kHooks{};
};

TEST(CoreHooks, ACoreHasThoseThatItLists) {
  EXPECT_TRUE(HasHooksAsListed<Listed>);
  EXPECT_TRUE(ClocklessCore<Listed>);
  EXPECT_TRUE(HasHooksAsListed<Inactive>);
  EXPECT_FALSE(ClocklessCore<Inactive>);
}

TEST(CoreHooks, MisspeltOnesAreRefused) {
  EXPECT_FALSE(ClocklessCore<Misspelt>);
  EXPECT_FALSE(ClocklessCore<WithoutItsEnd>);
  EXPECT_FALSE(HasHooksAsListed<ChangedByStatistics>);
}

TEST(CoreHooks, UnlistedOnesAreRefused) {
  EXPECT_FALSE(ClocklessCore<Unlisted>);
  EXPECT_FALSE(ClocklessCore<WithoutList>);
}

/// Acts at the cycles it is told to; each tells the next.
class Walker {
 public:
  static constexpr UnitKind kKind{"walker", "for tests"};
  static constexpr Hooks kHooks{};

  explicit Walker(std::vector<std::int64_t> steps) : steps_(std::move(steps)) {}

  std::optional<Cycle> advance(Cycle now) {
    acted.push_back(now.index());
    if (next_ == steps_.size()) return std::nullopt;
    return Cycle(steps_[next_++]);
  }

  void launch(const KernelLaunch&) {}
  template <class Visitor>
  void visit_state(Visitor&) {}

  std::vector<std::int64_t> acted;

 private:
  std::vector<std::int64_t> steps_;
  std::size_t next_ = 0;
};

using Steps = std::vector<std::int64_t>;

ScheduledUnit::Place on(UnitAgenda& agenda) {
  return {agenda, {}};
}

void run_until(UnitAgenda& agenda, Cycle end) {
  while (agenda.next() <= end) agenda.run(agenda.next());
}

TEST(UnitAgenda, PlansNothingAtFirst) {
  UnitAgenda agenda;
  EXPECT_EQ(agenda.next(), kNever);
  const Scheduled<Walker> walker("walker", on(agenda), Steps{3});
  EXPECT_EQ(agenda.next(), kNever);
  EXPECT_EQ(agenda.activations(), 0);
}

TEST(UnitAgenda, UnitsActWhenTheySaidTheyWould) {
  UnitAgenda agenda;
  Scheduled<Walker> first("first", on(agenda), Steps{4, 9});
  Scheduled<Walker> second("second", on(agenda), Steps{8, 9, 20});
  first.wake(Cycle(2));
  second.wake(Cycle(5));
  run_until(agenda, Cycle(10));
  EXPECT_EQ(first.core.acted, (Steps{2, 4, 9}));
  EXPECT_EQ(second.core.acted, (Steps{5, 8, 9}));
  EXPECT_EQ(agenda.activations(), 6);
  EXPECT_EQ(agenda.done_until(), Cycle(9));
  EXPECT_EQ(agenda.next(), Cycle(20));
}

TEST(UnitAgenda, TheEarliestCallCounts) {
  UnitAgenda agenda;
  Scheduled<Walker> walker("walker", on(agenda), Steps{});
  walker.wake(Cycle(7));
  walker.wake(Cycle(5));
  walker.wake(Cycle(6));
  EXPECT_EQ(agenda.next(), Cycle(5));
  run_until(agenda, Cycle(100));
  EXPECT_EQ(walker.core.acted, (Steps{5}));
}

TEST(UnitAgenda, NobodyIsWokenInACycleThatIsOver) {
  UnitAgenda agenda;
  Scheduled<Walker> walker("walker", on(agenda), Steps{});
  agenda.set_done_until(Cycle(10));
  EXPECT_THROW(walker.wake(Cycle(10)), SimulationError);
  walker.wake(Cycle(11));
  EXPECT_EQ(agenda.next(), Cycle(11));
}

TEST(UnitAgenda, AUnitThatIsDisarmedDoesNotAct) {
  UnitAgenda agenda;
  Scheduled<Walker> walker("walker", on(agenda), Steps{});
  walker.wake(Cycle(3));
  walker.disarm();
  EXPECT_EQ(agenda.next(), kNever);
}

TEST(UnitAgenda, SkippingMakesEverythingLater) {
  UnitAgenda agenda;
  Scheduled<Walker> walker("walker", on(agenda), Steps{});
  const Scheduled<Walker> idle("idle", on(agenda), Steps{});
  agenda.set_done_until(Cycle(2));
  walker.wake(Cycle(3));
  agenda.skip(Cycles(100));
  EXPECT_EQ(agenda.done_until(), Cycle(102));
  run_until(agenda, Cycle(200));
  EXPECT_EQ(walker.core.acted, (Steps{103}));
  EXPECT_EQ(agenda.next(), kNever);
}

/// Also if the two are not on the same place of their agendas.
TEST(UnitAgenda, ACopyDoesWhatItsModelDoes) {
  UnitAgenda agenda;
  Scheduled<Walker> model("model", on(agenda), Steps{6, 8});
  model.wake(Cycle(4));
  run_until(agenda, Cycle(4));
  UnitAgenda other;
  const Scheduled<Walker> idle("idle", on(other), Steps{});
  Scheduled<Walker> copy("copy", on(other), Steps{});
  copy.copy_state(model);
  run_until(other, Cycle(100));
  EXPECT_EQ(copy.core.acted, (Steps{4, 6, 8}));
  EXPECT_EQ(model.core.acted, (Steps{4}));
  EXPECT_TRUE(idle.core.acted.empty());
}

}  // namespace
}  // namespace stcsim
