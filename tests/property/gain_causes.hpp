#pragma once

#include "sim/config/machine.hpp"
#include "sim/explain/explanation.hpp"

namespace stcsim::test {

/// Explains the GEMM, simulates it and its dense twin anew with each relaxation, and expects the
/// cause that is named to be what raises the gain most.
void expect_cause_of_gain(const MachineConfig& machine, const ExplainQuestion& question);

}  // namespace stcsim::test
