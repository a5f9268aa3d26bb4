#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "common/io/temporary_registry.hpp"

namespace stcsim {

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

}  // namespace stcsim
