#pragma once

#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// One operand slice asked for by one SM: by whom, and everything about the answer that can depend
/// on *which* CTA or k-step it was.
struct L2Access {
  enum class Outcome : std::uint8_t {
    missed,      // it had to be brought in
    same_fill,   // its slice was on its way, or just arriving: as many fills ago as `age` says
    older_fill,  // its slice was there, brought in at least `age` fills ago
  };
  std::int64_t cta = 0;
  std::int32_t step = 0;
  std::int32_t age = 0;
  std::int32_t bytes = 0;
  Operand operand = Operand::a;
  Outcome outcome = Outcome::missed;
  bool odd = false;  // (strip + slice) is odd, which selects the near or far partition
};

/// What the L2 cache served in one cycle: loads or stores.
struct L2Batch {
  std::vector<L2Access> loads;
  std::int64_t stored_bytes = 0;
  bool stays = false;  // the stores were kept out of DRAM
};

using L2AccessLog = std::vector<L2Batch>;

}  // namespace stcsim
