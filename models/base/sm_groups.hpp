#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace stcsim {

/// Numbers of SMs, ascending.
using SmNumbers = std::vector<std::int32_t>;

/// A set of SMs: its number in a table. Equal sets have equal numbers; the set of SM s alone has
/// the number s.
enum class SmSet : std::int32_t {};

/// The sets of SMs that messages speak of. A message of several SMs that do the same in the same
/// cycle is sent once, for all of them.
class SmSets {
 public:
  explicit SmSets(std::int64_t sms) : sms_(sms) { forget(); }

  /// Forgets all sets but those of one SM alone, if there are `kMany` of them. Numbers from before
  /// must not be used any more.
  void forget_many() {
    if (members_.size() >= kMany) forget();
  }
  static constexpr std::size_t kMany = 4096;
  /// @param members  ascending, not empty
  [[nodiscard]] SmSet find(const SmNumbers& members);
  [[nodiscard]] const SmNumbers& members(SmSet set) const {
    return members_[static_cast<std::size_t>(set)];
  }
  [[nodiscard]] std::int64_t size(SmSet set) const {
    return static_cast<std::int64_t>(members(set).size());
  }
  /// One of its members.
  [[nodiscard]] std::int64_t first(SmSet set) const { return members(set).front(); }
  [[nodiscard]] std::int64_t sms() const { return sms_; }

  /// The set of SM `sm` alone.
  [[nodiscard]] static SmSet alone(std::int64_t sm) { return static_cast<SmSet>(sm); }

 private:
  void forget();
  struct Hash {
    std::size_t operator()(const SmNumbers& members) const;
  };

  std::int64_t sms_;
  std::deque<SmNumbers> members_;
  std::unordered_map<SmNumbers, SmSet, Hash> numbers_;
};

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
  /// The group that SM represents.
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
