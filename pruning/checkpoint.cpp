#include "pruning/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "pruning/schemes.hpp"

namespace stcsim::pruning {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;
/// Elements of a piece of a tensor whose rows are pruned by themselves.
constexpr std::int64_t kPieceElements = std::int64_t{1} << 24;

constexpr const char* kIndex = "model.safetensors.index.json";

/// The shards that an index names, each beside it.
std::set<fs::path> files_in_index(const fs::path& input) {
  const auto index = parse_json(read_text_file(input, "an index"), input.string());
  if (!index.is_object() || !index.contains("weight_map") || !index.at("weight_map").is_object()) {
    throw ConfigError({input.string()}, "it is no index of shards: 'weight_map' is missing");
  }
  std::set<fs::path> files;
  for (const auto& [tensor, file] : index.at("weight_map").items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.find('/') != std::string::npos) {
      throw ConfigError({input.string()},
                        fmt::format("tensor '{}' must lie in a file beside it", tensor));
    }
    const fs::path shard = input.parent_path() / name;
    std::error_code ignored;
    if (!fs::is_regular_file(shard, ignored)) {
      throw ConfigError({input.string()}, fmt::format("tensor '{}' must lie in '{}', which is no "
                                                      "file beside it",
                                                      tensor, name));
    }
    files.insert(shard);
  }
  return files;
}

/// The files of a checkpoint, in the order of their names.
std::vector<fs::path> files_of(const fs::path& input) {
  if (input.extension() == ".safetensors") return {input};
  std::set<fs::path> files;
  if (!fs::is_directory(input)) {
    files = files_in_index(input);
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(input)) {
      if (entry.path().extension() == ".safetensors") files.insert(entry.path());
    }
    if (fs::exists(input / kIndex)) (void)files_in_index(input / kIndex);  // it is copied
  }
  if (files.empty()) throw ConfigError({input.string()}, "it has no .safetensors files");
  return {files.begin(), files.end()};
}

/// Prunes one file.
class CheckpointFile {
 public:
  CheckpointFile(const fs::path& input, const fs::path& output, const CheckpointOptions& options)
      : input_(input),
        options_(options),
        scheme_(find_scheme(options.scheme)),
        header_(read_safetensors_header(input)),
        stream_(input, std::ios::binary) {
    if (!output.empty()) output_.emplace(output);
  }

  /// Whether any of its tensors is to be pruned.
  /// @throws ConfigError if one is and cannot be
  [[nodiscard]] bool has_work() const {
    std::int64_t count = 0;
    for (const StoredTensor& tensor : header_.tensors) {
      if (!is_asked_for(tensor)) continue;
      static_cast<void>(axis_of(tensor));
      ++count;
    }
    return count > 0;
  }

  void prune(std::vector<CheckpointRow>& rows, const std::function<void(std::uint64_t)>& done) {
    if (output_) output_->write(header_.bytes);
    stream_.seekg(static_cast<std::streamoff>(header_.bytes.size()));
    for (const StoredTensor& tensor : header_.tensors) {
      CheckpointRow row{input_.filename().string(), tensor, is_asked_for(tensor), 0, {}};
      if (row.is_pruned) {
        prune_tensor(tensor, row);
      } else {
        copy(tensor.end - tensor.begin);
      }
      rows.push_back(std::move(row));
      done(tensor.end - tensor.begin);
    }
    if (output_) output_->commit();
  }

 private:
  [[nodiscard]] bool is_asked_for(const StoredTensor& tensor) const {
    const bool has_numbers = tensor.is_float() && tensor.begin != tensor.end;
    if (options_.tensors.empty()) {
      constexpr std::array<std::string_view, 7> kOthers{"embed",   "wte",        "wpe", "norm",
                                                        "lm_head", "classifier", ".ln_"};
      const bool is_other = std::ranges::any_of(kOthers, [&](std::string_view part) {
        return tensor.name.find(part) != std::string::npos;
      });
      return has_numbers && tensor.shape.size() >= 2 && tensor.name.ends_with("weight") &&
             !is_other;
    }
    const bool is_named = std::ranges::any_of(
        options_.tensors, [&](const std::string& one) { return matches(tensor.name, one); });
    if (is_named && (!has_numbers || tensor.shape.empty())) {
      throw ConfigError({input_.string()},
                        fmt::format("tensor '{}' is {}, must be F32, F16 or BF16 and have numbers",
                                    tensor.name, tensor.type));
    }
    return is_named;
  }

  std::string read(std::uint64_t count) {
    std::string bytes(count, '\0');
    if (!stream_.read(bytes.data(), static_cast<std::streamsize>(count))) {
      throw ConfigError({input_.string()}, "it ended while it was read");
    }
    return bytes;
  }

  void copy(std::uint64_t count) {
    if (!output_) {
      stream_.seekg(static_cast<std::streamoff>(count), std::ios::cur);
      return;
    }
    while (count > 0) {
      const std::uint64_t piece = std::min<std::uint64_t>(count, kPieceBytes);
      output_->write(read(piece));
      count -= piece;
    }
  }

  [[nodiscard]] std::size_t axis_of(const StoredTensor& tensor) const {
    const std::size_t usual = tensor.shape.size() > 2 ? 1 : tensor.shape.size() - 1;
    const std::size_t axis = options_.axis.value_or(usual);
    if (axis < tensor.shape.size()) return axis;
    throw ConfigError({input_.string()}, fmt::format("tensor '{}' has {} axes, '--axis' is {}",
                                                     tensor.name, tensor.shape.size(), axis));
  }

  /// Rows of a piece: all, unless what a row becomes depends on it alone.
  [[nodiscard]] std::int64_t piece_of(const StoredTensor& tensor, std::size_t axis) const {
    const std::int64_t rows = tensor.shape.front();
    const bool is_apart = scheme_.kind == Kind::groups && scheme_.copies_values &&
                          !scheme_.random && scheme_.settings.empty() &&
                          !options_.prune.pattern.selects_columns() && axis != 0;
    if (!is_apart) return rows;
    const auto elements =
        static_cast<std::int64_t>((tensor.end - tensor.begin) / tensor.element_bytes());
    return std::clamp<std::int64_t>(kPieceElements / std::max<std::int64_t>(1, elements / rows), 1,
                                    rows);
  }

  void prune_tensor(const StoredTensor& tensor, CheckpointRow& row) {
    PruneOptions how = options_.prune;
    how.axis = axis_of(tensor);
    how.name = tensor.name + " in " + input_.string();
    const std::int64_t rows = tensor.shape.front();
    const std::int64_t piece = piece_of(tensor, how.axis);
    const std::uint64_t row_bytes = (tensor.end - tensor.begin) / static_cast<std::uint64_t>(rows);
    double kept = 0;
    double all = 0;
    for (std::int64_t at = 0; at < rows; at += piece) {
      const std::int64_t count = std::min(piece, rows - at);
      Tensor part{tensor.shape,
                  decoded(read(row_bytes * static_cast<std::uint64_t>(count)), tensor.type)};
      part.shape.front() = count;
      const Pruned pruned = pruning::prune(part, scheme_.name, how);
      for (const float value : part.values) all += std::abs(static_cast<double>(value));
      for (const float value : pruned.values.values) {
        kept += std::abs(static_cast<double>(value));
        row.nonzeros += value != 0 ? 1 : 0;
      }
      if (output_) output_->write(encoded(pruned.values.values, tensor.type));
    }
    if (all > 0) row.l1_retained = kept / all;
  }

  fs::path input_;
  const CheckpointOptions& options_;
  const Scheme& scheme_;
  SafetensorsHeader header_;
  std::ifstream stream_;
  std::optional<AtomicFile> output_;
};

/// Reads the heads of all files before anything is written.
/// @returns their sizes together
std::uint64_t check_work(const fs::path& input, const std::vector<fs::path>& files,
                         const CheckpointOptions& options) {
  bool has_work = false;
  std::uint64_t total = 0;
  for (const fs::path& file : files) {
    has_work = CheckpointFile(file, "", options).has_work() || has_work;
    total += fs::file_size(file);
  }
  if (!has_work) {
    throw ConfigError({input.string()},
                      "no tensor of it is to be pruned: name some with --tensors");
  }
  return total;
}

/// Where a shard goes; a single file where it is asked for.
fs::path output_of(const fs::path& output, const fs::path& file, bool is_single) {
  if (output.empty() || is_single) return output;
  return output / file.filename();
}

}  // namespace

bool is_checkpoint(const fs::path& path) {
  std::error_code ignored;
  return path.extension() == ".safetensors" || path.string().ends_with(".safetensors.index.json") ||
         fs::is_directory(path, ignored);
}

std::vector<CheckpointRow> prune_checkpoint(const fs::path& input, const fs::path& output,
                                            const CheckpointOptions& options) {
  const std::vector<fs::path> files = files_of(input);
  const bool is_single = input.extension() == ".safetensors";
  const std::uint64_t total = check_work(input, files, options);
  for (const fs::path& file : files) {
    const fs::path target = output_of(output, file, is_single);
    if (!target.empty() && fs::exists(target) && fs::equivalent(target, file)) {
      throw ConfigError({target.string()}, "it is the input, must be another file");
    }
  }
  if (!output.empty() && !is_single) fs::create_directories(output);
  std::vector<CheckpointRow> rows;
  std::uint64_t done = 0;
  for (const fs::path& file : files) {
    CheckpointFile one(file, output_of(output, file, is_single), options);
    one.prune(rows, [&](std::uint64_t bytes) {
      done += bytes;
      if (options.progress) {
        options.progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
      }
    });
  }
  const fs::path index = fs::is_directory(input) ? input / kIndex : input;
  if (!output.empty() && !is_single && fs::exists(index)) {
    write_file_atomically(output / index.filename(), read_text_file(index, "an index"));
  }
  return rows;
}

bool matches(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

}  // namespace stcsim::pruning
