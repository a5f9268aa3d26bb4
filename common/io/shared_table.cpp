#include "common/io/shared_table.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

// The memory: where the last record ends, then the records. A record: bytes of its key and of its
// value, the key, the value.
constexpr std::int64_t kFirstRecord = sizeof(std::int64_t);
using Sizes = std::array<std::int64_t, 2>;
constexpr std::int64_t kSizesBytes = sizeof(Sizes);

bool read_at(int memory, std::int64_t at, void* data, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::pread(memory, data, size, at);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(size);
}

bool write_at(int memory, std::int64_t at, const void* data, std::size_t size) {
  ssize_t written = 0;
  do {
    written = ::pwrite(memory, data, size, at);
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(size);
}

std::int64_t end_of_records(int memory) {
  std::int64_t end = kFirstRecord;
  return read_at(memory, 0, &end, sizeof end) ? end : kFirstRecord;
}

/// Holds the memory for one process alone; the system lets go of it for a process that dies.
class Lock {
 public:
  explicit Lock(int memory) : memory_(memory) { is_held_ = set(F_WRLCK); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (is_held_) static_cast<void>(set(F_UNLCK));
  }
  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  [[nodiscard]] bool set(int type) const {
    struct flock all {};
    all.l_type = static_cast<decltype(all.l_type)>(type);
    all.l_whence = SEEK_SET;
    int result = 0;
    do {
      result = ::fcntl(memory_, F_SETLKW, &all);
    } while (result != 0 && errno == EINTR);
    return result == 0;
  }

  int memory_;
  bool is_held_ = false;
};

}  // namespace

SharedTable::SharedTable(std::int64_t most_bytes)
    : most_bytes_(most_bytes),
      memory_(::memfd_create("stcsim", MFD_CLOEXEC)),
      known_to_(kFirstRecord) {
  if (memory_ >= 0 && write_at(memory_, 0, &kFirstRecord, sizeof kFirstRecord)) return;
  const int why = errno;
  if (memory_ >= 0) ::close(memory_);
  throw SimulationError(std::string("cannot get memory to share with workers: ") +
                        std::strerror(why));
}

SharedTable::~SharedTable() {
  ::close(memory_);
}

std::optional<std::string> SharedTable::find(const std::string& key) {
  auto place = places_.find(key);
  if (place == places_.end()) {
    catch_up();
    place = places_.find(key);
  }
  if (place == places_.end()) return std::nullopt;
  std::string value(static_cast<std::size_t>(place->second.size), '\0');
  if (!read_at(memory_, place->second.begin, value.data(), value.size())) return std::nullopt;
  return value;
}

void SharedTable::put(const std::string& key, std::string_view value) {
  const Sizes sizes{static_cast<std::int64_t>(key.size()), static_cast<std::int64_t>(value.size())};
  std::string record(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  record.append(key).append(value);
  const Lock lock(memory_);
  if (!lock.is_held()) return;
  catch_up();
  if (places_.count(key) == 0 && append(record)) catch_up();
}

bool SharedTable::append(const std::string& record) {
  const std::int64_t end = known_to_ + static_cast<std::int64_t>(record.size());
  return end <= most_bytes_ && write_at(memory_, known_to_, record.data(), record.size()) &&
         write_at(memory_, 0, &end, sizeof end);
}

void SharedTable::catch_up() {
  const std::int64_t end = end_of_records(memory_);
  while (known_to_ < end) {
    Sizes sizes{};
    if (!read_at(memory_, known_to_, sizes.data(), sizeof sizes)) return;
    std::string key(static_cast<std::size_t>(sizes[0]), '\0');
    const std::int64_t key_at = known_to_ + kSizesBytes;
    if (!read_at(memory_, key_at, key.data(), key.size())) return;
    const std::int64_t value_at = key_at + sizes[0];
    places_.try_emplace(std::move(key), Place{value_at, sizes[1]});
    known_to_ = value_at + sizes[1];
  }
}

}  // namespace stcsim
