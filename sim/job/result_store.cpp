#include "sim/job/result_store.hpp"

#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/sha256.hpp"
#include "sim/job/job.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr int kHeaderLines = 4;

std::string entry_of(const std::string& key, std::string_view answer) {
  return fmt::format("stcsim.result/1\nkey {}\nbytes {}\nsha256 {}\n{}", key, answer.size(),
                     sha256_hex(answer), answer);
}

/// The answer in an entry, or nothing if this is not, byte by byte, the entry of `key`.
std::optional<std::string> answer_in(const std::string& entry, const std::string& key) {
  std::size_t start = 0;
  for (int line = 0; line < kHeaderLines; ++line) {
    start = entry.find('\n', start);
    if (start == std::string::npos) return std::nullopt;
    ++start;
  }
  std::string answer = entry.substr(start);
  if (entry_of(key, answer) != entry || !is_answer(answer)) return std::nullopt;
  return answer;
}

/// "" for what cannot be read, which is no entry either.
std::string read_entry(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "";
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw TemporaryFileError(error.message());
}

/// Not flushed to the disk: an entry a power failure has cut short is found out when it is read.
void write_entry(const fs::path& target, std::string_view text) {
  TemporaryFile file(target);
  file.write(text);
  file.publish();
}

}  // namespace

ResultStore::ResultStore(fs::path directory, std::function<void(const std::string&)> warn)
    : directory_(std::move(directory)), warn_(std::move(warn)) {
  try {
    make_directory(directory_);
    const TemporaryFile probe(directory_ / "probe");
  } catch (const TemporaryFileError& error) {
    throw ConfigError(fmt::format(
        "cannot keep results in '{}': {}; must be a directory that can be written, or a path where "
        "one can be made",
        directory_.string(), error.what()));
  }
}

std::optional<std::string> ResultStore::find(const std::string& key) {
  ++asked_;
  const fs::path path = path_of(key);
  std::error_code ignored;
  if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) return std::nullopt;
  std::optional<std::string> answer = answer_in(read_entry(path), key);
  if (answer) {
    ++found_;
  } else {
    warn_(fmt::format("{} is damaged or not a result of this point, which is simulated again",
                      path.string()));
  }
  return answer;
}

void ResultStore::put(const std::string& key, const std::string& answer) {
  const fs::path path = path_of(key);
  try {
    make_directory(path.parent_path());
    write_entry(path, entry_of(key, answer));
  } catch (const TemporaryFileError& error) {
    if (not_stored_++ > 0) return;
    warn_(fmt::format("cannot store a result in {}: {}; the run goes on", path.string(),
                      error.what()));
  }
}

fs::path ResultStore::path_of(const std::string& key) const {
  return directory_ / key.substr(0, 2) / key;
}

}  // namespace stcsim
