#pragma once

#include <cstddef>
#include <utility>

namespace stcsim {

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
