#pragma once

#include <cstdint>
#include <functional>

namespace stcsim::pruning {

/// Told how much of the work is done; never from two threads at once. May be empty.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// How long-running pruning is carried out; the result does not depend on it.
struct Execution {
  int threads = 1;
  Progress progress;
};

}  // namespace stcsim::pruning
