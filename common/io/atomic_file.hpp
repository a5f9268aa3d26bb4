#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stcsim {

/// Most temporary files that can exist at the same time.
inline constexpr std::size_t kMaxTemporaries = 16;

/// Notes a temporary file's path for as long as the object lives, so that a signal handler can
/// remove the file (remove_temporaries() in atomic_file.hpp). Neither creates nor removes it.
class RegisteredTemporary {
 public:
  /// @throws std::length_error if all slots are taken or the path does not fit in one (4095 bytes)
  explicit RegisteredTemporary(std::string path);
  ~RegisteredTemporary();
  RegisteredTemporary(const RegisteredTemporary&) = delete;
  RegisteredTemporary& operator=(const RegisteredTemporary&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::size_t slot_;
};

/// Unlinks every path this process has registered. Async-signal-safe; files registered by a parent
/// before fork() are left alone.
void unlink_registered_temporaries() noexcept;

/// Why a file cannot be written, as the system says it: "No space left on device".
class TemporaryFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that is written before it gets its name. Where the file system can (O_TMPFILE), it has no
/// name until publish(): whatever ends the process, nothing stays behind. Elsewhere it is called
/// "TARGET.<pid>.<n>.tmp", which kill -9 leaves there. publish() puts it in the target's place in
/// one step; destroyed without, it is gone. All failures are TemporaryFileError.
class TemporaryFile {
 public:
  enum class Kind : std::uint8_t { unnamed_if_possible, named };

  explicit TemporaryFile(const std::filesystem::path& target,
                         Kind kind = Kind::unnamed_if_possible);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view text);
  void set_permissions(unsigned mode);
  /// Waits until what is written is on the disk.
  void flush_to_disk();
  /// Must be the last call.
  void publish();

 private:
  void open_named();
  void link_to_name();
  void discard() noexcept;
  [[noreturn]] void fail(int error_number);

  std::filesystem::path target_;
  std::optional<RegisteredTemporary> name_;  // if it has one
  int descriptor_ = -1;
};

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
