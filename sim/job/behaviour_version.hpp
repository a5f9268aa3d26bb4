#pragma once

#include <cstdint>

namespace stcsim {

/// Version of what the simulator computes; results stored under another one are not used. To be
/// raised by every change after which some point (a GEMM or a stream kernel on a machine) may have
/// another result than before: a cycle, a count, the kernel chosen, a remark. Not by a new counter
/// or bucket: what units tell is part of the key (sim/job/job_key.hpp). A change that only
/// makes the simulator faster leaves it.
inline constexpr std::int64_t kBehaviourVersion = 39;

}  // namespace stcsim
