#include "training/saved_tensors.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "pruning/npy.hpp"
#include "training/gemm_layer.hpp"

namespace stcsim::training {
namespace {

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw ConfigError("cannot create " + directory.string() + ": " + error.message());
  }
}

void save(const std::filesystem::path& file, const pruning::Tensor& tensor) {
  write_file_atomically(file, pruning::npy_text(tensor.shape, tensor.values));
}

}  // namespace

void save_weights(const std::filesystem::path& directory, const Model& model) {
  make_directory(directory);
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

void save_gradients(const std::filesystem::path& directory, const Model& model) {
  make_directory(directory);
  for (const GemmLayer& gemm : model.gemms()) {
    if (!gemm.output_gradient().defined()) continue;
    pruning::Tensor gradient = to_plain(gemm.output_gradient());
    const std::int64_t channels = gradient.shape.back();
    const std::int64_t rows = std::ssize(gradient.values) / channels;
    save(directory / (gemm.layer().name + ".npy"), {{rows, channels}, std::move(gradient.values)});
  }
}

}  // namespace stcsim::training
