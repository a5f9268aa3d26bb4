#include "common/io/atomic_file.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

[[noreturn]] void throw_cannot_write(const std::filesystem::path& target,
                                     const std::string& reason) {
  throw ConfigError("cannot write " + target.string() + ": " + reason);
}

std::string reason_of(int error_number) {
  return std::generic_category().message(error_number);
}

std::filesystem::path follow_link(const std::filesystem::path& target) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(target, ignored)) return target;
  std::error_code dangling;
  const std::filesystem::path resolved = std::filesystem::canonical(target, dangling);
  return dangling ? target : resolved;
}

/// Permissions of the file that will be replaced, or nothing if there is none yet.
std::optional<mode_t> replaceable_mode(const std::filesystem::path& target) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) throw_cannot_write(target, reason_of(EISDIR));
  if (!S_ISREG(status.st_mode)) throw_cannot_write(target, "not a regular file");
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    throw_cannot_write(target, reason_of(errno));
  }
  return status.st_mode & 07777;
}

/// A rename is durable once its directory is on the disk. File systems that cannot sync a
/// directory still rename atomically, so failures do not matter here.
void sync_directory_of(const std::filesystem::path& target) {
  const std::filesystem::path parent = target.parent_path();
  const int directory =
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target, TemporaryFile::Kind kind)
    : shown_(target), target_(follow_link(target)) {
  const std::optional<mode_t> old_mode = replaceable_mode(target);
  attempt([&] {
    file_.emplace(target_, kind);
    if (old_mode) file_->set_permissions(*old_mode);
  });
}

void AtomicFile::write(std::string_view text) {
  attempt([&] { file_->write(text); });
}

void AtomicFile::commit() {
  attempt([&] {
    file_->flush_to_disk();
    file_->publish();
  });
  sync_directory_of(target_);
}

template <class Action>
void AtomicFile::attempt(Action action) {
  try {
    action();
  } catch (const TemporaryFileError& error) {
    throw_cannot_write(shown_, error.what());
  }
}

void write_file_atomically(const std::filesystem::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

void remove_temporaries() noexcept {
  unlink_registered_temporaries();
}

}  // namespace stcsim
