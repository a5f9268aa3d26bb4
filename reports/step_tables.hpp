#pragma once

#include <cstddef>
#include <string>

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

/// A line for each machine and network with a training step that does not fit:
///   "does not fit: dense, asp: resnet50 on a100 needs 45.1 GB of 42.9 GB".
[[nodiscard]] std::string memory_notes(const StudyResult& study);

}  // namespace stcsim
