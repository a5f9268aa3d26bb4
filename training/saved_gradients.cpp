#include "training/saved_gradients.hpp"

#include <system_error>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "pruning/npy.hpp"
#include "training/products.hpp"

namespace stcsim::training {

void save_gradients(const std::filesystem::path& directory, const Model& model) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw ConfigError("cannot create " + directory.string() + ": " + error.message());
  }
  for (const GemmLayer& gemm : model.gemms()) {
    if (!gemm.output_gradient().defined()) continue;
    const pruning::Tensor gradient = to_plain(gemm.output_gradient());
    const std::int64_t channels = gradient.shape.back();
    const std::int64_t rows = std::ssize(gradient.values) / channels;
    write_file_atomically(directory / (gemm.layer().name + ".npy"),
                          pruning::npy_text({rows, channels}, gradient.values));
  }
}

}  // namespace stcsim::training
