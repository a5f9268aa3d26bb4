#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/study/result_key.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {

/// A GEMM on a machine that points wait for.
struct GemmJob {
  /// What its figures are kept under.
  std::string key;
  std::shared_ptr<const SweepMachine> machine;
  GemmProblem gemm;
  KernelPolicy policy;
  std::optional<double> clock_mhz;
  /// Points that have it as their own GEMM or as the dense one beside it, by their number in the
  /// plan.
  std::vector<std::size_t> points;
  /// Those of a machine have one number.
  std::int64_t group = 0;

  [[nodiscard]] double work() const;
};

/// The different GEMMs of GEMM points. No machine of the process may have run before.
class GemmJobs {
 public:
  /// Adds what a point needs. @param number  of the point in the plan
  void add(const SweepPlan& plan, std::size_t number);

  [[nodiscard]] const std::vector<GemmJob>& all() const { return jobs_; }
  [[nodiscard]] std::int64_t machines() const { return static_cast<std::int64_t>(groups_.size()); }

 private:
  using KeyMaker = std::pair<const SweepMachine*, KernelPolicy>;

  void add(const SweepPoint& point, std::size_t number, const GemmProblem& gemm,
           const KernelPolicy& policy);
  [[nodiscard]] std::string key_of(const SweepPoint& point, const GemmProblem& gemm,
                                   const KernelPolicy& policy);

  std::vector<GemmJob> jobs_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::map<KeyMaker, ResultKeys> keys_;
  std::map<const SweepMachine*, std::pair<std::int64_t, std::string>> groups_;
};

/// The dense GEMM that a sparse one is compared with.
[[nodiscard]] GemmProblem dense_of(const GemmProblem& gemm);

}  // namespace stcsim
