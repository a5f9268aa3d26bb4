#pragma once

#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// One access the L2 cache has served: who asked for what, and everything about the answer that can
/// depend on *which* CTA or k-step it was.
struct L2Access {
  enum class Kind : std::uint8_t { load, store };
  Kind kind = Kind::load;
  bool missed = false;  // load: had to go to DRAM
  bool odd = false;     // load: (strip + slice) is odd, which selects the near or far partition
  bool stays = false;   // store: kept out of DRAM
  Operand operand = Operand::a;
  std::int64_t cta = 0;
  std::int64_t step = 0;
  std::int64_t bytes = 0;
};

using L2AccessLog = std::vector<L2Access>;

}  // namespace stcsim
