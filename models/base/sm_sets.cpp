#include "models/base/sm_sets.hpp"

namespace stcsim {

void SmSets::forget() {
  members_.clear();
  numbers_.clear();
  for (std::int32_t sm = 0; sm < sms_; ++sm) members_.push_back({sm});
}

SmSet SmSets::find(const SmNumbers& members) {
  if (members.size() == 1) return alone(members.front());
  const auto [entry, is_new] = numbers_.try_emplace(members, static_cast<SmSet>(members_.size()));
  if (is_new) members_.push_back(members);
  return entry->second;
}

std::size_t SmSets::Hash::operator()(const SmNumbers& members) const {
  std::size_t hash = members.size();
  for (const std::int32_t sm : members) {
    hash = (hash ^ static_cast<std::size_t>(sm)) * std::size_t{0x9e3779b97f4a7c15};
    hash ^= hash >> 29U;
  }
  return hash;
}

}  // namespace stcsim
