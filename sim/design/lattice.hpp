#pragma once

#include <cstddef>
#include <vector>

namespace stcsim {

/// How far a machine's resources have grown: a level of each, 0 as the base machine has it.
using Levels = std::vector<std::size_t>;

/// All combinations of levels, numbered from 0, the base machine, to the one with the most of
/// everything; the last resource is fastest.
class Lattice {
 public:
  /// @param sizes  levels of each resource, at least one each
  explicit Lattice(Levels sizes);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t resources() const { return sizes_.size(); }
  [[nodiscard]] std::size_t size(std::size_t resource) const { return sizes_[resource]; }
  [[nodiscard]] std::size_t largest() const { return count_ - 1; }

  [[nodiscard]] std::size_t level(std::size_t machine, std::size_t resource) const {
    return machine / strides_[resource] % sizes_[resource];
  }
  [[nodiscard]] Levels levels(std::size_t machine) const;
  [[nodiscard]] std::size_t machine(const Levels& levels) const;
  /// The same machine with another level of one resource.
  [[nodiscard]] std::size_t with(std::size_t machine, std::size_t resource,
                                 std::size_t level) const;
  /// How many levels a machine is above the base, all resources together.
  [[nodiscard]] std::size_t height(std::size_t machine) const;
  /// Whether `machine` has no more of anything than `other`.
  [[nodiscard]] bool is_within(std::size_t machine, std::size_t other) const;

 private:
  Levels sizes_;
  std::vector<std::size_t> strides_;
  std::size_t count_ = 1;
};

}  // namespace stcsim
