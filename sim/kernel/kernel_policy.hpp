#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace stcsim {

/// How the kernel of a GEMM is picked.
struct KernelPolicy {
  /// "auto", or the name of a kernel of the machine.
  std::string kernel = "auto";
  /// How many of the best-ranked kernels `auto` simulates; none given: as kernel_choice.hpp says.
  std::optional<std::int64_t> candidates = {};
  /// The libraries whose kernels `auto` chooses from, for GEMMs that run dense and for those that
  /// run sparse; "" for the machine's own list.
  std::string library = {};
  std::string sparse_library = {};
  /// Sparse GEMMs run sparse wherever the machine can, also if dense were faster: to be compared
  /// with measurements of sparse kernels. So they do too with a `sparse_library` or a named kernel.
  bool is_sparse_kept = false;

  friend auto operator<=>(const KernelPolicy&, const KernelPolicy&) = default;
};

}  // namespace stcsim
