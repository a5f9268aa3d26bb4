#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "sim/job/run_store.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {

/// What was simulated for points: different GEMMs and stream kernels, and those whose answers were
/// there before.
struct RunCounts {
  std::int64_t simulated = 0;
  std::int64_t found = 0;
};

/// Answers of jobs in a sweep's file, counted.
class SweepRuns final : public RunStore {
 public:
  /// @param store  must outlive it
  explicit SweepRuns(SweepStore& store) : store_(store) {}

  [[nodiscard]] std::optional<std::string> find(const std::string& key) override {
    std::optional<std::string> answer = store_.find_run(key);
    if (answer && simulated_.count(key) == 0) found_.insert(key);
    return answer;
  }
  void put(const std::string& key, const std::string& answer) override {
    store_.put_run(key, answer);
    simulated_.insert(key);
  }

  [[nodiscard]] RunCounts counts() const {
    return {static_cast<std::int64_t>(simulated_.size()), static_cast<std::int64_t>(found_.size())};
  }

 private:
  SweepStore& store_;
  std::unordered_set<std::string> simulated_;
  std::unordered_set<std::string> found_;
};

}  // namespace stcsim
