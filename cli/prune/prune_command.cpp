#include <algorithm>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/prune/prune_options.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/format.hpp"
#include "pruning/channel_permutation.hpp"
#include "pruning/compressed.hpp"
#include "pruning/npy.hpp"
#include "pruning/prune.hpp"
#include "pruning/prune_summary.hpp"
#include "reports/prune/prune_report.hpp"

namespace stcsim {
namespace {

constexpr const char* kPruneWho = "stcsim prune";

using pruning::Compressed;
using pruning::Kind;
using pruning::Matrix;
using pruning::npy_text;
using pruning::PruneSummary;
using pruning::Setting;

constexpr const char* kTensor = "tensor";

/// What a scheme's files are called, X.npy first.
std::vector<std::string> kinds_of(const pruning::Scheme& scheme) {
  std::vector<std::string> kinds{kTensor, "values", "metadata"};
  if (scheme.kind == Kind::two_prunings) {
    kinds.insert(kinds.end(), {"backward", "backward.values", "backward.metadata"});
    kinds.emplace_back("backward.order");
  }
  if (scheme.kind == Kind::groups && scheme.heeds(Setting::candidates)) kinds.emplace_back("order");
  if (scheme.heeds(Setting::decay)) kinds.emplace_back("decay");
  return kinds;
}

std::string path_of(const std::string& output, const std::string& kind) {
  constexpr std::size_t kSuffix = 4;  // ".npy"
  if (kind == kTensor) return output;
  return output.substr(0, output.size() - kSuffix) + "." + kind + ".npy";
}

std::string tensor_text(const pruning::Tensor& tensor) {
  return npy_text(tensor.shape, std::span<const float>(tensor.values));
}

std::string order_text(const std::vector<std::int64_t>& order) {
  return npy_text({std::ssize(order)}, std::span<const std::int64_t>(order));
}

/// The files `prune` writes beside each other: X.npy and X.KIND.npy. Made before anything is
/// pruned, so that a file that cannot be written costs nothing; they appear when all are complete.
class PruneFiles {
 public:
  /// None if options.output is "".
  explicit PruneFiles(const PruneCommandOptions& options) {
    if (options.output.empty()) return;
    for (const std::string& kind : kinds_of(*options.scheme)) {
      files_.emplace_back(kind, path_of(options.output, kind));
    }
  }

  /// Writes what there is.
  void write(const pruning::Pruned& pruned, Pattern pattern) {
    if (files_.empty()) return;
    put(kTensor, tensor_text(pruned.values));
    write_compressed("", pruned.values, pruned.axes.columns, pruned.order, pattern);
    if (!pruned.order.empty()) put("order", order_text(pruned.order));
    if (pruned.backward) {
      put("backward", tensor_text(*pruned.backward));
      write_compressed("backward.", *pruned.backward, *pruned.axes.rows, pruned.rows_order,
                       pattern);
      put("backward.order", order_text(pruned.rows_order));
    }
    if (pruned.decay) put("decay", tensor_text(*pruned.decay));
    for (File& file : files_) file.file.commit();
  }

  /// Kind and path of each.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> names() const {
    std::vector<std::pair<std::string, std::string>> names;
    for (const File& file : files_) names.emplace_back(file.kind, file.path);
    return names;
  }

 private:
  struct File {
    File(std::string file_kind, std::string file_path)
        : kind(std::move(file_kind)), path(std::move(file_path)), file(path) {}

    std::string kind;
    std::string path;
    AtomicFile file;
  };

  void put(const std::string& kind, const std::string& bytes) {
    std::ranges::find(files_, kind, &File::kind)->file.write(bytes);
  }

  void write_compressed(const std::string& prefix, const pruning::Tensor& values, std::size_t axis,
                        const std::vector<std::int64_t>& order, Pattern pattern) {
    Matrix lines = pruning::to_planes(values, {axis, {}}).front();
    if (!order.empty()) lines = pruning::reordered(lines, order);
    const Compressed compressed = pruning::compress(lines, pattern);
    put(prefix + "values", npy_text({compressed.rows, compressed.groups, pattern.n},
                                    std::span<const float>(compressed.values)));
    put(prefix + "metadata", npy_text({compressed.rows, compressed.words_per_row},
                                      std::span<const std::uint32_t>(compressed.metadata)));
  }

  std::list<File> files_;
};

std::string text_of(const PruneSummary& summary, Format format) {
  if (format == Format::json) return prune_to_json(summary);
  if (format == Format::csv) return prune_to_csv(summary);
  return prune_text(summary);
}

int exit_code_of(const PruneSummary& summary) {
  std::int64_t violations = 0;
  for (const pruning::AxisFigures& axis : summary.axes) violations += axis.violations;
  if (violations == 0) return kExitFine;
  write_message(kPruneWho, fmt::format("{} groups violate the pattern", violations));
  return kExitDifferent;
}

int run_prune_command(const Arguments& arguments) {
  PruneCommandOptions options = read_prune_options(arguments);
  if (options.is_checkpoint) return run_prune_checkpoint(options, arguments);
  PruneFiles files(options);
  ProgressBar bar;
  options.prune.how.progress = [&bar](std::int64_t done, std::int64_t total) {
    bar.update({done, total, static_cast<double>(done), static_cast<double>(total)}, "parts");
  };
  const std::string scheme(options.scheme->name);
  const pruning::Pruned pruned = pruning::prune(options.tensor, scheme, options.prune);
  PruneSummary summary =
      pruning::summarise(options.tensor, pruned, scheme, options.prune, options.summary);
  bar.wipe();
  summary.input = options.input;
  summary.resolved_config = options.resolved_config;
  summary.config_hash = options.config_hash;
  summary.files = files.names();
  files.write(pruned, options.prune.pattern);
  write_data(text_of(summary, options.format));
  write_next(arguments, next_of_weight(options.tensor.shape, options.prune.pattern));
  return exit_code_of(summary);
}

std::string notes() {
  std::string text = "Schemes:\n";
  std::size_t width = 0;
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    width = std::max(width, scheme.name.size());
  }
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    text += fmt::format("  {:<{}}  {}\n", scheme.name, width, scheme.description);
  }
  return text +
         "\nWith --output X.npy the pruned tensor goes there, its compressed values to "
         "X.values.npy and\ntheir metadata to X.metadata.npy. An example:\n\n"
         "  stcsim prune --scheme mvue --pattern 2:4 --input normal:1024x1024 --output y.npy\n"
         "  stcsim prune --scheme magnitude --pattern 2:4 --input model.safetensors --tensors "
         "'*proj*'\n";
}

}  // namespace

std::vector<std::string> next_of_weight(const std::vector<std::int64_t>& shape, Pattern pattern) {
  const std::int64_t elements = std::max<std::int64_t>(1, pruning::element_count(shape));
  const std::int64_t m = shape.size() < 2 ? 1 : shape.front();
  return {"stcsim gemm", "--arch a100", fmt::format("{} 4096 {}", m, elements / m),
          "--sparsity " + shell_word(pattern.to_string())};
}

Command prune_command() {
  return {"prune",
          "Prune a tensor by a published scheme",
          "--scheme NAME --pattern N:M --input INPUT [OPTIONS]",
          notes(),
          {},
          options_of<PruneTable>(),
          &run_prune_command};
}

}  // namespace stcsim
