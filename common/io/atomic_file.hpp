#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "common/io/temporary_file.hpp"

namespace stcsim {

/// A file that appears complete or not at all. Text goes to a TemporaryFile in the same directory;
/// commit() flushes it to the disk and puts it in the place of the target, which stays untouched
/// until then. Destroyed without commit(), it leaves nothing.
///
/// A symbolic link is followed, an existing file keeps its permissions. Every failure is a
/// ConfigError "cannot write TARGET: reason"; a directory, device or pipe as target is one.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target,
                      TemporaryFile::Kind kind = TemporaryFile::Kind::unnamed_if_possible);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  /// Must be the last call.
  void commit();

 private:
  template <class Action>
  void attempt(Action action);

  std::filesystem::path shown_;   // as the user named it
  std::filesystem::path target_;  // links resolved
  std::optional<TemporaryFile> file_;
};

/// Writes the whole file through AtomicFile.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

/// Removes the temporary files with a name that this process is writing. Async-signal-safe: a
/// handler calls it just before it ends the process.
void remove_temporaries() noexcept;

}  // namespace stcsim
