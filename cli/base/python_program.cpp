#include "cli/base/python_program.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

/// The folder of the Python package: in the source tree, where it is installed, or around the
/// program that a wheel carries inside the package; of a program built elsewhere, in the tree of
/// its configurations.
fs::path python_folder() {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const fs::path& folder :
       {prefix / "python", prefix / "lib/python3/dist-packages", prefix.parent_path(),
        config_directory().parent_path() / "python"}) {
    if (fs::is_directory(folder / "stcsim")) return folder;
  }
  throw ConfigError("the Python package stcsim is not installed beside the program");
}

}  // namespace

int nameless_file(const std::string& text) {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0 || std::fseek(file, 0, SEEK_SET) != 0) {
    throw ConfigError(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
  }
  return ::fileno(file);
}

void become_python(const std::string& module, std::vector<std::string> words,
                   const std::string& input) {
  const std::string folder = python_folder().string();
  const char* const known = std::getenv("PYTHONPATH");
  ::setenv("PYTHONPATH", (known == nullptr ? folder : folder + ":" + known).c_str(), 1);
  ::setenv("STCSIM_CONFIG_DIR", config_directory().c_str(), 1);
  ::setenv("STCSIM", fs::read_symlink("/proc/self/exe").c_str(), 1);
  const char* const named = std::getenv("STCSIM_PYTHON");
  const std::string python = named == nullptr || *named == '\0' ? "python3" : named;
  words.insert(words.begin(), {python, "-B", "-m", module});
  if (!input.empty()) ::dup2(nameless_file(input), STDIN_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(python.c_str(), pointers.data());
  throw ConfigError(fmt::format("cannot start {}: {}", python, std::strerror(errno)));
}

}  // namespace stcsim
