#include "common/io/atomic_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kPathSize = 4096;
constexpr pid_t kFree = 0;
constexpr pid_t kBeingFilled = -1;

struct Slot {
  std::atomic<pid_t> owner{kFree};
  std::array<char, kPathSize> path{};
};
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler reads the owner");

std::array<Slot, kMaxTemporaries> slots;

std::size_t claim_slot(const std::string& path) {
  if (path.size() >= kPathSize) throw std::length_error("File name too long");
  for (std::size_t index = 0; index < slots.size(); ++index) {
    Slot& slot = slots.at(index);
    pid_t expected = kFree;
    if (!slot.owner.compare_exchange_strong(expected, kBeingFilled)) continue;
    path.copy(slot.path.data(), path.size());
    slot.path.at(path.size()) = '\0';
    slot.owner.store(::getpid());
    return index;
  }
  throw std::length_error("more than " + std::to_string(kMaxTemporaries) +
                          " files are being written at once");
}

constexpr int kMostNames = 100;
constexpr mode_t kMode = 0666;  // less the umask

std::string next_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.string() + "." + std::to_string(::getpid()) + "." +
         std::to_string(counter.fetch_add(1)) + ".tmp";
}

std::string path_of_descriptor(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

/// A file without a name in the target's directory; -1 where there are none, or no way to name it
/// later.
int open_unnamed(const std::filesystem::path& target) {
  const std::filesystem::path parent = target.parent_path();
  const int descriptor =
      ::open(parent.empty() ? "." : parent.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (descriptor < 0) return -1;
  if (::access(path_of_descriptor(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

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

RegisteredTemporary::RegisteredTemporary(std::string path)
    : path_(std::move(path)), slot_(claim_slot(path_)) {}

RegisteredTemporary::~RegisteredTemporary() {
  slots.at(slot_).owner.store(kFree);
}

void unlink_registered_temporaries() noexcept {
  const int saved_errno = errno;
  const pid_t self = ::getpid();
  for (const Slot& slot : slots) {
    if (slot.owner.load() == self) ::unlink(slot.path.data());
  }
  errno = saved_errno;
}

TemporaryFile::TemporaryFile(const std::filesystem::path& target, Kind kind) : target_(target) {
  if (kind == Kind::unnamed_if_possible) descriptor_ = open_unnamed(target);
  if (descriptor_ < 0) open_named();
}

TemporaryFile::~TemporaryFile() {
  discard();
}

void TemporaryFile::open_named() {
  // A killed run may have left a file of the same name behind: process numbers come round again.
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    try {
      name_.emplace(next_name(target_));
    } catch (const std::length_error& error) {
      throw TemporaryFileError(error.what());
    }
    descriptor_ = ::open(name_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) break;
  }
  name_.reset();
  throw TemporaryFileError(std::generic_category().message(errno));
}

void TemporaryFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void TemporaryFile::set_permissions(unsigned mode) {
  if (::fchmod(descriptor_, static_cast<mode_t>(mode)) != 0) fail(errno);
}

void TemporaryFile::flush_to_disk() {
  if (::fsync(descriptor_) != 0) fail(errno);
}

void TemporaryFile::link_to_name() {
  const std::string file = path_of_descriptor(descriptor_);
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    try {
      name_.emplace(next_name(target_));
    } catch (const std::length_error& error) {
      throw TemporaryFileError(error.what());
    }
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name_->path().c_str(), AT_SYMLINK_FOLLOW) == 0) {
      return;
    }
    if (errno != EEXIST) break;
  }
  const int reason = errno;
  name_.reset();
  fail(reason);
}

void TemporaryFile::publish() {
  // A link cannot replace a file that is there, a renamed file can.
  if (!name_) link_to_name();
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (::rename(name_->path().c_str(), target_.c_str()) != 0) fail(errno);
  name_.reset();
}

void TemporaryFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (name_) ::unlink(name_->path().c_str());
  name_.reset();
}

void TemporaryFile::fail(int error_number) {
  discard();
  throw TemporaryFileError(std::generic_category().message(error_number));
}

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
