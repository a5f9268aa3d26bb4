#include "sim/study/sparse_macs.hpp"

#include "common/phase.hpp"

namespace stcsim {

void SparseMacs::add(const ResultRow& row) {
  if (row.macs == 0) return;
  const auto repeat = static_cast<double>(row.repeat);
  Sum& sum = phases_[row.phase];
  sum.all += repeat * static_cast<double>(row.macs);
  sum.sparse += repeat * static_cast<double>(row.sparse_macs);
}

SparseShares SparseMacs::shares() const {
  Sum gemms;
  for (const auto& [phase, sum] : phases_) {
    gemms.all += sum.all;
    gemms.sparse += sum.sparse;
  }
  return {share_of(std::string(to_string(Phase::forward))),
          share_of(std::string(to_string(Phase::dgrad))),
          share_of(std::string(to_string(Phase::wgrad))), gemms.share()};
}

double SparseMacs::share_of(const std::string& phase) const {
  const auto found = phases_.find(phase);
  return found == phases_.end() ? 0 : found->second.share();
}

}  // namespace stcsim
