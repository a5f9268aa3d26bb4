#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace stcsim::test {

/// The seed of a random test: `usual`, or STCSIM_SEED where it is set, which repeats a failure.
inline std::uint64_t seed_or(std::uint64_t usual) {
  const char* const text = std::getenv("STCSIM_SEED");
  return text == nullptr ? usual : std::stoull(text);
}

}  // namespace stcsim::test
