#pragma once

#include <cstdint>
#include <vector>

#include "models/base/sm_sets.hpp"

namespace stcsim {

/// SMs that are in the same state form a group; one of them, its representative, is simulated for
/// all. What leaves the representative leaves every member, in the same cycle; what reaches only
/// some members splits the group.
class SmGroups {
 public:
  explicit SmGroups(SmSets& sets) : sets_(sets) {}

  /// All SMs in one group, or each in its own.
  void reset(bool together);

  [[nodiscard]] std::int64_t representative(std::int64_t sm) const {
    return representative_[static_cast<std::size_t>(sm)];
  }
  [[nodiscard]] bool is_representative(std::int64_t sm) const { return representative(sm) == sm; }
  /// Of the group that SM represents.
  [[nodiscard]] SmSet members(std::int64_t representative) const {
    return members_[static_cast<std::size_t>(representative)];
  }
  /// Representatives of all groups, ascending.
  [[nodiscard]] const std::vector<std::int64_t>& representatives() const {
    return representatives_;
  }

  /// Makes a group of its own out of some members of a group, not all of them. The old
  /// representative keeps the part it is in; returns the representative of the other.
  std::int64_t split(std::int64_t representative, const SmNumbers& part);
  /// Adds a whole group to another.
  void merge(std::int64_t into, std::int64_t from);

 private:
  void form(const SmNumbers& members, std::int64_t representative);

  SmSets& sets_;
  std::vector<std::int64_t> representative_;  // by SM
  std::vector<SmSet> members_;                // by representative
  std::vector<std::int64_t> representatives_;
  SmNumbers at_work_;  // of the split or merge
};

}  // namespace stcsim
