#include "common/io/temporary_registry.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <sys/types.h>
#include <unistd.h>

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

}  // namespace stcsim
