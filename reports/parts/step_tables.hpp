#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// One table per machine, network and pass: what all kernels beside the matrix products take, by
/// what they are there for, in the dense step and in that of the fastest scheme. What takes no time
/// is left out; "" where all is nothing.
[[nodiscard]] std::string kind_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// One table per machine and network: what the training step needs of the machine's memory, for
/// `dense` and every scheme that needs another amount. "" where no training step was simulated.
[[nodiscard]] std::string memory_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// "  DOES NOT FIT: 211 GB of 85.9 GB: dense, asp\n" of the totals of a machine, network and pass:
/// what the largest needs. "" if all fit.
[[nodiscard]] std::string misfit_line(const std::vector<const StudyTotal*>& totals);
/// The same for each machine and network, named before it.
[[nodiscard]] std::string memory_notes(const StudyResult& study);

}  // namespace stcsim
