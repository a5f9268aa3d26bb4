#include "cli/prune_files.hpp"

#include <algorithm>
#include <span>

#include "pruning/channel_permutation.hpp"
#include "pruning/compressed.hpp"
#include "pruning/npy.hpp"

namespace stcsim {
namespace {

using pruning::Compressed;
using pruning::Kind;
using pruning::Matrix;
using pruning::npy_text;
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

}  // namespace

PruneFiles::PruneFiles(const PruneCommandOptions& options) {
  if (options.output.empty()) return;
  for (const std::string& kind : kinds_of(*options.scheme)) {
    files_.emplace_back(kind, path_of(options.output, kind));
  }
}

void PruneFiles::write(const pruning::Pruned& pruned, Pattern pattern) {
  if (files_.empty()) return;
  put(kTensor, tensor_text(pruned.values));
  write_compressed("", pruned.values, pruned.axes.columns, pruned.order, pattern);
  if (!pruned.order.empty()) put("order", order_text(pruned.order));
  if (pruned.backward) {
    put("backward", tensor_text(*pruned.backward));
    write_compressed("backward.", *pruned.backward, *pruned.axes.rows, pruned.rows_order, pattern);
    put("backward.order", order_text(pruned.rows_order));
  }
  if (pruned.decay) put("decay", tensor_text(*pruned.decay));
  for (File& file : files_) file.file.commit();
}

std::vector<std::pair<std::string, std::string>> PruneFiles::names() const {
  std::vector<std::pair<std::string, std::string>> names;
  for (const File& file : files_) names.emplace_back(file.kind, file.path);
  return names;
}

void PruneFiles::put(const std::string& kind, const std::string& bytes) {
  std::ranges::find(files_, kind, &File::kind)->file.write(bytes);
}

void PruneFiles::write_compressed(const std::string& prefix, const pruning::Tensor& values,
                                  std::size_t axis, const std::vector<std::int64_t>& order,
                                  Pattern pattern) {
  Matrix lines = pruning::to_planes(values, {axis, {}}).front();
  if (!order.empty()) lines = pruning::reordered(lines, order);
  const Compressed compressed = pruning::compress(lines, pattern);
  put(prefix + "values", npy_text({compressed.rows, compressed.groups, pattern.n},
                                  std::span<const float>(compressed.values)));
  put(prefix + "metadata", npy_text({compressed.rows, compressed.words_per_row},
                                    std::span<const std::uint32_t>(compressed.metadata)));
}

}  // namespace stcsim
