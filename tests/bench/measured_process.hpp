#pragma once

#include <string>
#include <vector>

namespace stcsim::bench {

/// What a process took.
struct ProcessEffort {
  double cpu_seconds = 0;
  double peak_mib = 0;
};

/// Runs a program without its output and waits for it. Throws std::runtime_error if it fails.
ProcessEffort measure_process(const std::vector<std::string>& command);

}  // namespace stcsim::bench
