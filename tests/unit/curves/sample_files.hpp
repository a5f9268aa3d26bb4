#pragma once

#include <string>
#include <vector>

namespace stcsim::testing {

struct SampleFile {
  std::string format;
  std::string bytes;
};

/// A file of each format, as its writer writes it.
[[nodiscard]] std::vector<SampleFile> sample_files();

}  // namespace stcsim::testing
