#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stcsim {

/// A file of each kind that is imported, whole.
struct ModelSample {
  std::string name;
  std::string text;
};
[[nodiscard]] std::vector<ModelSample> model_samples();

/// The text with a few changes: bytes, pieces left out, doubled or exchanged, numbers that are
/// huge, negative or none, brackets without end.
[[nodiscard]] std::string mutated(std::string text, std::uint64_t seed);

/// Imports `count` mutated files from `first` on, of all kinds in turn: each has to be read or
/// refused by a ConfigError. How many were read.
std::int64_t import_mutated(std::uint64_t first, std::int64_t count);

/// Most memory that this process has had, in bytes; 0 under sanitizers, which take more.
[[nodiscard]] std::int64_t peak_memory();

}  // namespace stcsim
