#include "sim/study/result_store.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "sim/study/result_codec.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr int kHeaderLines = 4;
constexpr int kMaxNameAttempts = 100;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

std::string entry_of(const std::string& key, std::string_view run) {
  return fmt::format("stcsim.result/1\nkey {}\nbytes {}\nsha256 {}\n{}", key, run.size(),
                     sha256_hex(run), run);
}

/// The run in an entry, or nothing if this is not, byte by byte, the entry of `key`.
std::optional<GemmRun> run_in(const std::string& entry, const std::string& key) {
  std::size_t start = 0;
  for (int line = 0; line < kHeaderLines; ++line) {
    start = entry.find('\n', start);
    if (start == std::string::npos) return std::nullopt;
    ++start;
  }
  const std::string run = entry.substr(start);
  if (entry_of(key, run) != entry) return std::nullopt;
  try {
    return decode(run);
  } catch (const SimulationError&) {
    return std::nullopt;
  }
}

/// "" for what cannot be read, which is no entry either.
std::string read_entry(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "";
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A new file "TARGET.<pid>.<n>.tmp"; other processes, on other computers too, make files here.
std::FILE* open_temporary(const fs::path& target, fs::path& path) {
  static std::atomic<unsigned> counter{0};
  std::FILE* file = nullptr;
  for (int attempt = 0; attempt < kMaxNameAttempts && file == nullptr; ++attempt) {
    path = fmt::format("{}.{}.{}.tmp", target.string(), ::getpid(), counter.fetch_add(1));
    file = std::fopen(path.c_str(), "wxe");
    if (file == nullptr && errno != EEXIST) break;
  }
  return file;
}

/// Writes the file under a temporary name and renames it. Not flushed to the disk: an entry a power
/// failure has cut short is found out when it is read.
std::error_code write_entry(const fs::path& target, std::string_view text) {
  fs::path temporary;
  std::FILE* const file = open_temporary(target, temporary);
  if (file == nullptr) return last_error();
  std::error_code error;
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) error = last_error();
  if (std::fclose(file) != 0 && !error) error = last_error();
  if (!error) fs::rename(temporary, target, error);
  std::error_code ignored;
  if (error) fs::remove(temporary, ignored);
  return error;
}

/// Finds out whether files can be made in `directory`, by making one.
std::error_code try_writing(const fs::path& directory) {
  fs::path temporary;
  std::FILE* const file = open_temporary(directory / "probe", temporary);
  if (file == nullptr) return last_error();
  std::fclose(file);
  std::error_code error;
  fs::remove(temporary, error);
  return error;
}

}  // namespace

ResultStore::ResultStore(fs::path directory, std::function<void(const std::string&)> warn)
    : directory_(std::move(directory)), warn_(std::move(warn)) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (!error) error = try_writing(directory_);
  if (!error) return;
  throw ConfigError(
      fmt::format("cannot keep results in '{}': {}; must be a directory that can be written, or a "
                  "path where one can be made",
                  directory_.string(), error.message()));
}

std::optional<GemmRun> ResultStore::find(const std::string& key) {
  ++asked_;
  const fs::path path = path_of(key);
  std::error_code ignored;
  if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) return std::nullopt;
  std::optional<GemmRun> run = run_in(read_entry(path), key);
  if (run) {
    ++found_;
  } else {
    warn_(fmt::format("{} is damaged or not a result of this point, which is simulated again",
                      path.string()));
  }
  return run;
}

void ResultStore::put(const std::string& key, GemmRun run) {
  run.result.events = 0;
  const fs::path path = path_of(key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error) error = write_entry(path, entry_of(key, encode(run)));
  if (error && not_stored_++ == 0) {
    warn_(fmt::format("cannot store a result in {}: {}; the run goes on", path.string(),
                      error.message()));
  }
}

fs::path ResultStore::path_of(const std::string& key) const {
  return directory_ / key.substr(0, 2) / key;
}

}  // namespace stcsim
