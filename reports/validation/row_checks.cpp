#include "reports/validation/row_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/suggestion.hpp"

namespace stcsim {
namespace {

void check_timing(const MeasuredGemm& gemm, const std::map<std::string, TimingMethod>& timings) {
  if (timings.count(gemm.timing) != 0) return;
  std::vector<std::string> names;
  for (const auto& [name, method] : timings) names.push_back(name);
  throw ConfigError(gemm.where, fmt::format("timing is '{}', must be empty or one of {}",
                                            gemm.timing, fmt::join(names, ", ")));
}

void check_stack(const MeasuredGemm& gemm, const MachineConfig& machine) {
  const std::vector<std::string> names = machine.stack_names();
  if (gemm.stack.empty() || std::find(names.begin(), names.end(), gemm.stack) != names.end()) {
    return;
  }
  throw ConfigError(gemm.where, fmt::format("stack is '{}', must be empty or one of {}: {}{}",
                                            gemm.stack, machine.name, fmt::join(names, ", "),
                                            did_you_mean(gemm.stack, names)));
}

}  // namespace

void check_names(const MeasuredGemm& gemm, const std::map<std::string, MachineConfig>& machines,
                 const std::map<std::string, TimingMethod>& timings) {
  check_timing(gemm, timings);
  const auto machine = machines.find(gemm.gpu);
  if (machine != machines.end()) check_stack(gemm, machine->second);
}

}  // namespace stcsim
