#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stcsim {

/// The kind of a unit: the name of its kind in statistics and lists, and one line for people. Every
/// core has one as `kKind`.
struct UnitKind {
  std::string_view name;
  std::string_view help;
};

/// The hooks that a core has (core_hooks.hpp); every core lists them as `kHooks`. The shells call
/// these and no others, and refuse a core whose members differ from its list: a hook that is
/// misspelt or not listed does not compile.
struct Hooks {
  bool visit_ports = false;
  bool visit_children = false;
  bool visit_stage_wires = false;
  bool connect_stages = false;
  bool first_stage = false;
  bool visit_statistics = false;
  bool waiting_for = false;
  bool settle = false;
  bool finish = false;
  bool restored = false;
  bool tell = false;
  bool datapath = false;
  bool observer = false;

  friend bool operator==(const Hooks&, const Hooks&) = default;
};

/// A unit of the block diagram and what is inside it, for people.
struct UnitTree {
  std::string name;
  std::string kind;
  std::string help;
  std::vector<UnitTree> children;
};

/// A part of a unit that belongs to its place in the machine (a wire, its number): assigning one
/// unit's state to another leaves it alone.
template <class T>
class Wired {
 public:
  Wired() = default;
  Wired(const Wired&) = default;
  Wired& operator=(const Wired&) { return *this; }  // NOLINT(bugprone-unhandled-self-assignment)
  ~Wired() = default;
  Wired& operator=(T value) {
    value_ = std::move(value);
    return *this;
  }

  operator const T&() const { return value_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const T& operator->() const { return value_; }
  [[nodiscard]] T& get() { return value_; }
  [[nodiscard]] const T& get() const { return value_; }

 private:
  T value_{};
};

}  // namespace stcsim
