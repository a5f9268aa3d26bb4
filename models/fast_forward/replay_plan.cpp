#include "models/fast_forward/replay_plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stcsim {
namespace {

auto read_by(const ResidentCta& cta, Operand operand) {
  return std::make_tuple(cta.strip(operand), cta.rows[index_of(operand)], cta.first_step);
}

}  // namespace

ReplayPlan::ReplayPlan(const KernelLaunch& kernel, const L2Accesses& accesses)
    : kernel_(kernel), all_(accesses) {
  std::int64_t last_cta = -1;
  first_cta_ = kernel.ctas();
  for (const L2Batch& batch : all_.batches()) {
    for (const L2Access& access : all_.loads_of(batch)) {
      first_cta_ = std::min(first_cta_, access.cta);
      last_cta = std::max(last_cta, access.cta);
    }
  }
  for (std::int64_t cta = first_cta_; cta <= last_cta; ++cta) residents_.emplace_back(kernel, cta);
  find_sharing();
  keep_first_of_each();
}

void ReplayPlan::find_sharing() {
  same_as_.resize(residents_.size());
  std::vector<std::size_t> order(residents_.size());
  for (const Operand operand : kernel_.operands()) {
    const auto key = [&](std::size_t at) { return read_by(residents_[at], operand); };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::make_tuple(key(a), a) < std::make_tuple(key(b), b);
    });
    std::size_t first = 0;
    for (const std::size_t at : order) {
      if (at == order.front() || key(at) != key(first)) first = at;
      same_as_[at][index_of(operand)] = first;
    }
  }
}

void ReplayPlan::keep_first_of_each() {
  struct Asked {
    std::int64_t batch = -1;
    std::int32_t step = 0;
  };
  // The last one by operand and first CTA. One that asks for several steps in a batch may be kept
  // more than once, which makes no difference.
  std::vector<std::array<Asked, kOperandCount>> asked(residents_.size());
  std::int64_t number = 0;
  for (const L2Batch& batch : all_.batches()) {
    first_of_each_.add_batch(batch.stored_bytes);
    for (const L2Access& access : all_.loads_of(batch)) {
      const auto at = static_cast<std::size_t>(access.cta - first_cta_);
      const auto index = index_of(access.operand);
      Asked& last = asked[same_as_[at][index]][index];
      if (last.batch == number && last.step == access.step) continue;
      last = {number, access.step};
      first_of_each_.add_load(access);
    }
    ++number;
  }
  shared_ = first_of_each_.since(0);
}

bool ReplayPlan::move_to(const Period& period, std::int64_t times) {
  const std::int64_t by = period.ctas * times;
  if (by == moved_by_) return true;
  const std::int64_t first = first_cta_ + by;
  const auto count = static_cast<std::int64_t>(residents_.size());
  if (count > 0 && first + count > kernel_.ctas()) return false;
  for (std::size_t at = 0; at < residents_.size(); ++at) {
    residents_[at] = ResidentCta(kernel_, first + static_cast<std::int64_t>(at));
  }
  moved_by_ = by;
  sharing_ = still_shares();
  return true;
}

bool ReplayPlan::still_shares() const {
  for (std::size_t at = 0; at < residents_.size(); ++at) {
    for (const Operand operand : kernel_.operands()) {
      const std::size_t same = same_as_[at][index_of(operand)];
      if (same == at) continue;
      if (read_by(residents_[at], operand) != read_by(residents_[same], operand)) return false;
    }
  }
  return true;
}

}  // namespace stcsim
