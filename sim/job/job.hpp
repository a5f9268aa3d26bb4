#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/attention_kernel.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim {

/// A GEMM, with the kernel that the job's policy picks.
struct GemmWork {
  GemmProblem problem;
  /// Run it with values at the machine's clock and check C; how A is pruned, if it is sparse.
  bool with_values = false;
  std::string prune = {};

  friend auto operator<=>(const GemmWork&, const GemmWork&) = default;
};

/// Kernels as they are launched, one after the other: their cycles and counts are added up.
struct LaunchSequence {
  std::vector<KernelLaunch> launches;

  friend auto operator<=>(const LaunchSequence&, const LaunchSequence&) = default;
};

/// A kind of work is one type here, and one function in each of job.cpp and job_key.cpp.
using Work = std::variant<GemmWork, StreamWork, LaunchSequence, AttentionWork>;

/// "GEMM 64x64x32 x1 fp16 2:4", "stream kernel reading 64 and writing 32 bytes".
[[nodiscard]] std::string describe(const Work& work);

/// Rough simulation effort.
[[nodiscard]] double estimated_work(const Work& work);

/// Digests of a machine, and of what of it launches without a sparse operand see.
struct MachineDigests {
  std::string all;
  std::string dense;
};

/// A machine at the clock that jobs have it at.
struct JobMachine {
  /// As it is built. Jobs with the same one may share a process: it is elaborated once, whatever
  /// their clocks.
  const MachineConfig* as_built = nullptr;
  double clock_mhz = 0;
  MachineDigests digests;
};
/// Machines at their own clocks, for jobs whose answers are not stored.
class JobMachines {
 public:
  /// @param machine  must outlive this object
  /// @return stays where it is
  [[nodiscard]] const JobMachine& of(const MachineConfig& machine);

 private:
  std::map<const MachineConfig*, JobMachine> machines_;
};

/// One thing to simulate.
struct Job {
  /// Must outlive it.
  const JobMachine* machine = nullptr;
  Work work;
  /// How a GEMM's kernel is picked.
  KernelPolicy policy = {};
  /// How a GEMM is launched over and over, at the clock that the board sustains; nothing: it runs
  /// among other kernels, at the machine's clock.
  std::optional<LaunchConditions> conditions = {};
};

/// Simulates a job. Of stream kernels and launches only the answer's `result` says something.
/// @param runner  of the job's machine
/// @throws SimulationError  if it was run with values and C is not what the reference computes
[[nodiscard]] GemmRun run_job(MachineRunner& runner, const Job& job);

/// A job's answer as bytes: so it comes from a worker process, and so it is stored.
/// decode(encode(x)) == x.
[[nodiscard]] std::string encode(const GemmRun& run);
/// Throws SimulationError if `bytes` is not an encoded answer.
[[nodiscard]] GemmRun decode(const std::string& bytes);
[[nodiscard]] bool is_answer(const std::string& bytes);

}  // namespace stcsim
