#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace stcsim {

/// The whole text of a file. Throws if there is none.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

/// Names of the files in a directory, sorted.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& directory);

/// A directory with "tiny.yaml": an experiment that takes milliseconds. Two linear layers ("first",
/// without a dgrad, and "second") of network "tiny" under dense and asp, on "two_sms".
class TinyExperiment {
 public:
  TinyExperiment();

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }
  [[nodiscard]] std::string file() const { return (directory() / "tiny.yaml").string(); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory() / name).string();
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace stcsim
