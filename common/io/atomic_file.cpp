#include "common/io/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr int kMaxNameAttempts = 100;

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

std::string temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.string() + "." + std::to_string(::getpid()) + "." +
         std::to_string(counter.fetch_add(1)) + ".tmp";
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

AtomicFile::AtomicFile(const std::filesystem::path& target)
    : shown_(target), target_(follow_link(target)) {
  const std::optional<mode_t> old_mode = replaceable_mode(target);
  open_temporary();
  if (old_mode && ::fchmod(descriptor_, *old_mode) != 0) fail(errno);
}

void AtomicFile::open_temporary() {
  // A killed run may have left a file of the same name behind: process numbers come round again.
  for (int attempt = 0; attempt < kMaxNameAttempts; ++attempt) {
    try {
      temporary_.emplace(temporary_name(target_));
    } catch (const std::length_error& error) {
      throw_cannot_write(shown_, error.what());
    }
    descriptor_ =
        ::open(temporary_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t{0666});
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) break;
  }
  throw_cannot_write(shown_, reason_of(errno));
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (::rename(temporary_->path().c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.reset();
  sync_directory_of(target_);
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (temporary_) ::unlink(temporary_->path().c_str());
  temporary_.reset();
}

void AtomicFile::fail(int error_number) {
  discard();
  throw_cannot_write(shown_, reason_of(error_number));
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
