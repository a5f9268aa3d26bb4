#include "reports/validation/library_names.hpp"

#include <algorithm>
#include <cctype>

namespace stcsim {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

bool has_kernels(const LibraryConfig& library, bool sparse) {
  return std::any_of(library.kernels.begin(), library.kernels.end(),
                     [&](const LibraryKernel& entry) { return entry.kernel.sparse == sparse; });
}

}  // namespace

std::string library_in(std::string_view text, const MachineConfig& machine, bool sparse) {
  const std::string words = lower(text);
  std::string named;
  std::size_t first = std::string::npos;
  for (const LibraryConfig& library : machine.libraries) {
    const std::size_t at = words.find(lower(library.name));
    if (at >= first || !has_kernels(library, sparse)) continue;
    first = at;
    named = library.name;
  }
  return named;
}

std::string library_if_known(const std::string& name, const MachineConfig& machine, bool sparse) {
  for (const LibraryConfig& library : machine.libraries) {
    if (library.name == name && has_kernels(library, sparse)) return name;
  }
  return "";
}

}  // namespace stcsim
