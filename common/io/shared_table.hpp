#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stcsim {

/// A table that a process shares with those that it forks, in memory that the system takes back
/// when the last of them has ended. Each sees what the others have put, whole or not at all,
/// whenever one of them is killed.
class SharedTable {
 public:
  /// @param most_bytes  of keys and values: what is more is not kept
  /// @throws SimulationError  if the system gives no such memory
  explicit SharedTable(std::int64_t most_bytes);
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;
  ~SharedTable();

  /// The value that was put first under that key, by whichever process.
  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  /// No effect if the key has a value, if there is no room, or if memory fails.
  void put(const std::string& key, std::string_view value);

 private:
  struct Place {
    std::int64_t begin = 0;
    std::int64_t size = 0;
  };

  /// Reads the keys of what has been put since the last call.
  void catch_up();
  [[nodiscard]] bool append(const std::string& record);

  std::int64_t most_bytes_;
  int memory_ = -1;
  std::int64_t known_to_ = 0;
  std::unordered_map<std::string, Place> places_;
};

}  // namespace stcsim
