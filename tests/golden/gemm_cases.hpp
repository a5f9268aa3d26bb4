#pragma once

#include <string>
#include <vector>

#include "sim/config/machine.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim::test {

struct GemmCase {
  GemmProblem problem;
  /// "auto", or a kernel's name.
  std::string kernel = "auto";
};

/// Sizes with their batch count: square, around tile edges, short and long k, attention.
inline std::vector<GemmProblem> golden_sizes() {
  return {make_problem(1, 1, 1),          make_problem(127, 65, 33),
          make_problem(129, 257, 513),    make_problem(512, 512, 512),
          make_problem(1024, 1024, 256),  make_problem(1536, 384, 192),
          make_problem(256, 256, 4096),   make_problem(2000, 30, 600),
          make_problem(128, 128, 64, 96), make_problem(197, 64, 197, 12)};
}

/// The first kernel of the machine's list that is sparse, or not; "auto" if there is none.
inline std::string first_kernel(const MachineConfig& machine, bool sparse) {
  for (const KernelConfig& kernel : machine.kernels) {
    if (kernel.sparse == sparse) return kernel.name;
  }
  return "auto";
}

/// The GEMMs every shipped machine is held to: all sizes dense and 2:4, other patterns and types at
/// one size or two, 4-bit types and pairs where the machine has one, and a fixed kernel of each
/// kind.
inline std::vector<GemmCase> golden_cases(const MachineConfig& machine) {
  std::vector<GemmCase> cases;
  for (GemmProblem problem : golden_sizes()) {
    cases.push_back({problem});
    problem.a_pattern = {2, 4};
    cases.push_back({problem});
  }
  for (const Pattern pattern : {Pattern{1, 2}, Pattern{1, 4}, Pattern{2, 8}, Pattern{4, 8},
                                Pattern{1, 8}, Pattern{4, 16}, Pattern{4, 32}}) {
    cases.push_back({make_problem(384, 384, 768, 1, DataType::fp16, pattern)});
  }
  for (const Pattern pattern : {Pattern{1, 8}, Pattern{2, 8}, Pattern{4, 16}, Pattern{4, 32}}) {
    cases.push_back({make_problem(2048, 1024, 1024, 1, DataType::fp16, pattern)});
  }
  for (const Pattern pattern : machine.accelerator.sm.operand_selector.native_patterns) {
    if (!pattern.of_outputs) continue;
    cases.push_back({make_problem(384, 384, 768, 1, DataType::fp16, pattern)});
    cases.push_back({make_problem(2048, 1024, 1024, 1, DataType::fp16, pattern)});
  }
  for (const DataType type : operand_data_types()) {
    if (type == DataType::fp16 || !machine.supports(type)) continue;
    cases.push_back({make_problem(384, 320, 768, 1, type)});
    cases.push_back({make_problem(384, 320, 768, 1, type, {2, 4})});
  }
  for (const DataType type : {DataType::int4, DataType::nvfp4}) {
    if (!machine.supports(type)) continue;
    for (GemmProblem problem : {make_problem(384, 320, 768), make_problem(197, 65, 333),
                                make_problem(1024, 1024, 4096)}) {
      problem.dtype = type;
      if (problem.k != 768) cases.push_back({problem});
      problem.a_pattern = {4, 8, 2};
      cases.push_back({problem});
    }
  }
  if (machine.supports(DataType::int4) || machine.supports(DataType::nvfp4)) {
    cases.push_back({make_problem(384, 384, 768, 1, DataType::fp16, {4, 8, 2})});
  }
  cases.push_back({make_problem(640, 640, 640), first_kernel(machine, false)});
  cases.push_back(
      {make_problem(640, 640, 640, 1, DataType::fp16, {2, 4}), first_kernel(machine, true)});
  return cases;
}

}  // namespace stcsim::test
