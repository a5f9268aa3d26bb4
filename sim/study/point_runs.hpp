#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/run/gemm_run.hpp"
#include "sim/study/study_machines.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {

class RunStore;

/// A point on a machine: what is known of it.
struct PointRun {
  const StudyMachine* machine = nullptr;
  StudyPoint point;
  /// ResultKeys::of() it.
  std::string key;
  /// Its run, encoded (result_codec.hpp), which takes a tenth of the memory. Empty until it has
  /// been simulated, and if that failed.
  std::string bytes;
  /// Why it failed.
  std::string failure;

  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<const GemmRun> run() const;
};

/// The different points that studies ask for: of those with equal keys there is one.
class PointRuns {
 public:
  /// @param store  where runs are looked up and kept; may be null
  explicit PointRuns(RunStore* store) : store_(store) {}

  struct Asked {
    /// Stays where it is until clear().
    PointRun* run = nullptr;
    /// It is to be simulated, and nobody has asked for it before.
    bool is_missing = false;
  };
  [[nodiscard]] Asked ask(const StudyMachine& machine, const StudyPoint& point);

  /// Those that are to be simulated and have not been taken yet, machine by machine, in the order
  /// of work_class().
  [[nodiscard]] std::vector<PointRun*> take_missing();
  /// Keeps what a missing point came to: its encoded run.
  void keep(PointRun& point, const std::string& bytes);
  /// Forgets all runs.
  void clear();

 private:
  RunStore* store_;
  std::unordered_map<std::string, PointRun> runs_;
  std::vector<PointRun*> missing_;
};

}  // namespace stcsim
