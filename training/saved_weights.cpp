#include "training/saved_weights.hpp"

#include <string>
#include <system_error>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "pruning/npy.hpp"
#include "training/products.hpp"

namespace stcsim::training {
namespace {

void save(const std::filesystem::path& file, const pruning::Tensor& tensor) {
  write_file_atomically(file, pruning::npy_text(tensor.shape, tensor.values));
}

}  // namespace

void save_weights(const std::filesystem::path& directory, const Model& model) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw ConfigError("cannot create " + directory.string() + ": " + error.message());
  }
  for (const GemmLayer& gemm : model.gemms()) {
    const std::string name = gemm.layer().name;
    save(directory / (name + ".npy"), to_plain(gemm.weight().detach()));
    if (!gemm.weight_pruner().prunes()) continue;
    const pruning::Tensor forward = to_plain(gemm.forward_weight());
    const pruning::Tensor dgrad = to_plain(gemm.dgrad_weight());
    save(directory / (name + ".forward.npy"), forward);
    if (dgrad.values != forward.values) save(directory / (name + ".dgrad.npy"), dgrad);
  }
}

}  // namespace stcsim::training
