#include "sim/kernel/kernel_ranking.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stcsim {

bool KernelRanking::simulates(const KernelLaunch& launch) const {
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const KernelCandidate& one) { return one.launch == launch; });
}

KernelRanking cut(std::vector<KernelCandidate> ranked, std::int64_t most) {
  const std::ptrdiff_t kept =
      std::min<std::ptrdiff_t>(std::max<std::int64_t>(most, 1), std::ssize(ranked));
  KernelRanking ranking;
  const auto end = std::make_move_iterator(ranked.end());
  const auto first_left_out = std::make_move_iterator(ranked.begin() + kept);
  ranking.left_out.assign(first_left_out, end);
  ranking.candidates.assign(std::make_move_iterator(ranked.begin()), first_left_out);
  return ranking;
}

KernelRanking cut_each(const MachineConfig& machine, std::vector<KernelCandidate> ranked,
                       std::int64_t most) {
  const auto is_listed = [&](const KernelCandidate& one) {
    return std::any_of(
        machine.kernels.begin(), machine.kernels.end(),
        [&](const KernelConfig& listed) { return listed.name == one.kernel.config.name; });
  };
  std::int64_t listed = 0;
  std::int64_t searched = 0;
  KernelRanking ranking;
  for (KernelCandidate& one : ranked) {
    const bool is_left_out = ++(is_listed(one) ? listed : searched) > most;
    (is_left_out ? ranking.left_out : ranking.candidates).push_back(std::move(one));
  }
  return ranking;
}

void keep_rules(const std::vector<KernelCandidate>& rules, KernelRanking& ranking) {
  for (const KernelCandidate& rule : rules) {
    if (ranking.simulates(rule.launch)) continue;
    std::erase_if(ranking.left_out,
                  [&](const KernelCandidate& known) { return known.launch == rule.launch; });
    ranking.candidates.push_back(rule);
  }
}

}  // namespace stcsim
