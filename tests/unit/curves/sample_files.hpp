#pragma once

#include <string>
#include <vector>

namespace stcsim::test {

struct SampleFile {
  std::string format;
  std::string bytes;
};

/// A file of each format, as its writer writes it.
[[nodiscard]] std::vector<SampleFile> sample_files();

}  // namespace stcsim::test
