#pragma once

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "cli/prune_options.hpp"
#include "common/io/atomic_file.hpp"
#include "pruning/prune.hpp"

namespace stcsim {

/// The files `prune` writes beside each other: X.npy and X.KIND.npy. Made before anything is
/// pruned, so that a file that cannot be written costs nothing; they appear when all are complete.
class PruneFiles {
 public:
  /// None if options.output is "".
  explicit PruneFiles(const PruneCommandOptions& options);

  /// Writes what there is.
  void write(const pruning::Pruned& pruned, Pattern pattern);

  /// Kind and path of each.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> names() const;

 private:
  struct File {
    File(std::string file_kind, std::string file_path)
        : kind(std::move(file_kind)), path(std::move(file_path)), file(path) {}

    std::string kind;
    std::string path;
    AtomicFile file;
  };

  void put(const std::string& kind, const std::string& bytes);
  void write_compressed(const std::string& prefix, const pruning::Tensor& values, std::size_t axis,
                        const std::vector<std::int64_t>& order, Pattern pattern);

  std::list<File> files_;
};

}  // namespace stcsim
