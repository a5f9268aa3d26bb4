#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace stcsim {

/// Where encoded answers (answer_codec.hpp) are kept under the keys of their jobs (job_key.hpp).
class RunStore {
 public:
  RunStore() = default;
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  virtual ~RunStore() = default;

  [[nodiscard]] virtual std::optional<std::string> find(const std::string& key) = 0;
  virtual void put(const std::string& key, const std::string& answer) = 0;
};

/// Answers of jobs in a directory, one file per key (job_key.hpp):
/// DIRECTORY/<first two digits of the key>/<key>, which is a header of lines and the encoded
/// answer:
///
///   stcsim.result/1
///   key <key>
///   bytes <length of the answer>
///   sha256 <of the answer>
///
/// A file appears complete or not at all, so any number of processes may use a directory at once. A
/// file that is damaged or belongs elsewhere counts as missing, with a warning.
class ResultStore : public RunStore {
 public:
  /// @param directory made if need be
  /// @param warn called with one line for everything that does not go as it should
  /// @throws ConfigError if `directory` cannot be made or written
  ResultStore(std::filesystem::path directory, std::function<void(const std::string&)> warn);

  [[nodiscard]] std::optional<std::string> find(const std::string& key) override;
  /// If it cannot be written the first time is a warning.
  void put(const std::string& key, const std::string& answer) override;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  /// How often find() was asked, how often it found something, and how often put() failed.
  [[nodiscard]] std::int64_t asked() const { return asked_; }
  [[nodiscard]] std::int64_t found() const { return found_; }
  [[nodiscard]] std::int64_t not_stored() const { return not_stored_; }

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path directory_;
  std::function<void(const std::string&)> warn_;
  std::int64_t asked_ = 0;
  std::int64_t found_ = 0;
  std::int64_t not_stored_ = 0;
};

}  // namespace stcsim
