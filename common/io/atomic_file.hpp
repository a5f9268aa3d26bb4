#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "common/io/temporary_registry.hpp"

namespace stcsim {

/// A file that appears complete or not at all. Text goes to "TARGET.<pid>.<n>.tmp" in the same
/// directory; commit() flushes it to the disk and renames it over the target, which stays
/// untouched until then. Destroyed without commit(), the temporary file is removed.
///
/// A symbolic link is followed, an existing file keeps its permissions. Every failure is a
/// ConfigError "cannot write TARGET: reason"; a directory, device or pipe as target is one.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  /// Must be the last call.
  void commit();

 private:
  void open_temporary();
  void discard() noexcept;
  [[noreturn]] void fail(int error_number);

  std::filesystem::path shown_;   // as the user named it
  std::filesystem::path target_;  // links resolved
  std::optional<RegisteredTemporary> temporary_;
  int descriptor_ = -1;
};

/// Writes the whole file through AtomicFile.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

/// Removes the temporary files this process is writing. Async-signal-safe: a handler calls it just
/// before it ends the process.
void remove_temporaries() noexcept;

}  // namespace stcsim
