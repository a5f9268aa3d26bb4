#pragma once

#include <cstddef>
#include <string>

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

}  // namespace stcsim
