#include "models/fast_forward/alike_sms.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace stcsim {
namespace {

/// After failures to find equal groups, at most so many chances are left out.
constexpr std::int64_t kLongestSkip = 31;

}  // namespace

AlikeSms::AlikeSms(SharedState& shared, const StreamingMultiprocessors& sms)
    : sms_(sms), sets_(shared.sets), groups_(shared.groups) {}

void AlikeSms::launch(bool together) {
  together_ = together;
  groups_.reset(together);
  ahead_.resize(sms_.size());
  for (Counters& ahead : ahead_) ahead.clear();
  merges_to_skip_ = skip_after_failure_ = 0;
}

StreamingMultiprocessor& AlikeSms::sm_of(std::int64_t number) {
  return *sms_[static_cast<std::size_t>(number)];
}

const std::vector<std::int64_t>& AlikeSms::isolate(SmSet sms) {
  const std::int64_t first = groups_.representative(sets_.first(sms));
  isolated_.clear();
  if (groups_.members(first) == sms) {
    isolated_.push_back(first);
    return isolated_;
  }
  rest_ = sets_.members(sms);
  while (!rest_.empty()) {
    const std::int64_t representative = groups_.representative(rest_.front());
    const SmNumbers& members = sets_.members(groups_.members(representative));
    part_.clear();
    left_.clear();
    std::set_intersection(members.begin(), members.end(), rest_.begin(), rest_.end(),
                          std::back_inserter(part_));
    std::set_difference(rest_.begin(), rest_.end(), members.begin(), members.end(),
                        std::back_inserter(left_));
    rest_.swap(left_);
    if (part_.size() < members.size()) {
      const std::int64_t other = groups_.split(representative, part_);
      sm_of(other).copy_state(sm_of(representative));
      give_own_counters(other);
    }
    isolated_.push_back(groups_.representative(part_.front()));
  }
  return isolated_;
}

void AlikeSms::give_own_counters(std::int64_t representative) {
  own_ = ahead_[static_cast<std::size_t>(representative)];
  if (own_.empty()) return;
  sm_of(representative).add_to_counters(own_);
  for (const std::int32_t sm : sets_.members(groups_.members(representative))) {
    Counters& counters = ahead_[static_cast<std::size_t>(sm)];
    if (counters.empty()) counters.assign(own_.size(), 0);
    std::transform(counters.begin(), counters.end(), own_.begin(), counters.begin(),
                   std::minus<>());
  }
}

void AlikeSms::try_merge(std::span<const std::int64_t> representatives) {
  if (!together_ || representatives.size() < 2 || merges_to_skip_-- > 0) return;
  const bool merged = merge_equal(representatives);
  skip_after_failure_ = merged ? 0 : std::min(2 * skip_after_failure_ + 1, kLongestSkip);
  merges_to_skip_ = skip_after_failure_;
}

bool AlikeSms::merge_equal(std::span<const std::int64_t> representatives) {
  if (!together_ || representatives.size() < 2) return false;
  compared_.clear();
  for (const std::int64_t sm : representatives) {
    Compared& one = compared_.push_back();
    one.representative = sm;
    sm_of(sm).describe(one.described);
    std::size_t same = 0;
    while (compared_[same].described.state != one.described.state) ++same;  // at least itself
    if (same + 1 == compared_.size()) continue;
    merge(compared_[same], one);
    compared_.pop_back();
  }
  return compared_.size() < representatives.size();
}

void AlikeSms::merge(const Compared& into, const Compared& from) {
  const Counters& own = into.described.counters;
  for (const std::int32_t sm : sets_.members(groups_.members(from.representative))) {
    Counters& ahead = ahead_[static_cast<std::size_t>(sm)];
    if (ahead.empty()) ahead.assign(own.size(), 0);
    for (std::size_t at = 0; at < ahead.size(); ++at) {
      ahead[at] += from.described.counters[at] - own[at];
    }
  }
  sm_of(from.representative).disarm();
  groups_.merge(into.representative, from.representative);
}

void AlikeSms::restore_counters() {
  for (std::int64_t sm = 0; sm < sets_.sms(); ++sm) {
    if (groups_.is_representative(sm)) continue;
    sm_of(sm).copy_state(sm_of(groups_.representative(sm)));
  }
  for (std::size_t sm = 0; sm < ahead_.size(); ++sm) {
    if (!ahead_[sm].empty()) sms_[sm]->add_to_counters(ahead_[sm]);
  }
}

}  // namespace stcsim
