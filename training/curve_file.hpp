#pragma once

#include <filesystem>
#include <fstream>

#include "training/trainer.hpp"

namespace stcsim::training {

/// A learning curve as CSV: a header, then a line per epoch, each written out at once, so that an
/// interrupted run leaves the curve so far.
class CurveFile {
 public:
  /// Begins the file anew; makes its folder. @throws ConfigError if it cannot be written
  explicit CurveFile(const std::filesystem::path& path);

  void add(const EpochResult& result);

 private:
  void write(const std::string& line);

  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace stcsim::training
