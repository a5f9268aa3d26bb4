#include "models/base/core_hooks.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stcsim
