#pragma once

#include <cstddef>
#include <functional>
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

/// A step from one machine to another: resources that grow together.
struct GrowthStep {
  std::vector<std::size_t> resources;
  std::size_t machine = 0;
  /// Time before / time after - 1.
  double gain = 0;
};

/// What a growth is told by: times, of many machines at once where that is quicker.
struct TimesOf {
  std::function<double(std::size_t machine)> time;
  std::function<void(const std::vector<std::size_t>& machines)> prepare;
};

/// Gains below this are none: more of a resource makes no difference there.
inline constexpr double kLeastGain = 0.01;

/// The way from one machine up to another that has more: every step raises by one level the fewest
/// resources that together gain kLeastGain, of several such sets the one that gains most. Where no
/// set does, all that is left grows at once.
[[nodiscard]] std::vector<GrowthStep> way_up(const Lattice& lattice, std::size_t from,
                                             std::size_t to, const TimesOf& times);

/// What one resource alone does to a machine: time of `machine` / time with that level - 1, for
/// each resource.
/// @param level_of  which level a resource is to have
[[nodiscard]] std::vector<double> gains_of_each(
    const Lattice& lattice, std::size_t machine,
    const std::function<std::size_t(std::size_t resource)>& level_of, const TimesOf& times);

/// How far times are from never rising with more of a resource: the most that a machine takes
/// beyond one that it has as much of everything as, as a share; 0 if none takes longer. A search
/// whose slack is less may miss a machine.
[[nodiscard]] double unevenness(const Lattice& lattice, const std::vector<std::size_t>& machines,
                                const std::function<double(std::size_t machine)>& time);

}  // namespace stcsim
