#include "sim/config/fallback_kernels.hpp"

#include <filesystem>

#include "common/io/catalog.hpp"
#include "common/io/field_reader.hpp"
#include "sim/config/kernel_family.hpp"

namespace stcsim {
namespace {

std::vector<KernelConfig> read_kernels(const std::filesystem::path& file) {
  std::vector<KernelConfig> kernels;
  if (!std::filesystem::exists(file)) return kernels;
  YamlDocument document = load_yaml(file);
  expand_kernel_families(document.root);
  MapReader map(document);
  for (MapReader& entry : map.get_maps("kernels")) {
    kernels.push_back(read_fields<KernelConfig>(entry));
  }
  map.finish();
  return kernels;
}

}  // namespace

const std::vector<KernelConfig>& fallback_kernels() {
  static const std::vector<KernelConfig> kernels =
      read_kernels(config_directory() / "kernels" / "small.yaml");
  return kernels;
}

}  // namespace stcsim
