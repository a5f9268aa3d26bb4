#pragma once

#include <cstdint>

namespace stcsim::test {

/// Calls of `operator new` in this program so far.
[[nodiscard]] std::int64_t counted_allocations();

}  // namespace stcsim::test
