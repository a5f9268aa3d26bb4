#pragma once

#include <cstdint>
#include <string>

#include "sim/config/machine.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/behaviour_version.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {

/// Keys of the points of one machine: equal keys mean equal results. A key is the SHA-256 of a
/// text with everything a result depends on: the simulator's behaviour, what it tells, the machine,
/// the kernel policy and the point. What a machine is called makes no difference to either, nor
/// what it has for sparse operands to a launch without one.
class ResultKeys {
 public:
  /// @param statistics  statistic_names() of the machine: a result with others is another result
  ResultKeys(const MachineConfig& machine, const KernelPolicy& policy,
             const std::string& statistics, std::int64_t behaviour = kBehaviourVersion);

  /// 64 hexadecimal digits.
  [[nodiscard]] std::string of(const StudyPoint& point) const;

 private:
  /// Digests of the machine, and of what of it launches without a sparse operand see.
  std::string machine_;
  std::string dense_machine_;
  std::string policy_;
};

}  // namespace stcsim
