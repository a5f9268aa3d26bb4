#pragma once

#include <filesystem>
#include <fstream>

#include "training/trainer.hpp"

namespace stcsim::training {

/// A learning curve as CSV: a header, then a line per epoch, each written out at once into
/// PATH.partial, which an interrupted run leaves.
class CurveFile {
 public:
  /// Begins anew: removes the curve of a run before, makes the folder.
  /// @throws ConfigError if it cannot be written
  explicit CurveFile(const std::filesystem::path& path);

  void add(const EpochResult& result);
  /// Gives the file its name.
  void complete();

 private:
  void write(const std::string& line);
  void check(bool is_fine) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::ofstream stream_;
};

}  // namespace stcsim::training
