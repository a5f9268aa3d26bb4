#pragma once

#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/resident_ctas.hpp"

namespace stcsim {

/// Which CTAs of a grid move as much memory as which others, in every k-step and at the end.
class CtaSizes {
 public:
  /// Of another grid from here on.
  void launch(const KernelLaunch& kernel);

  /// The first CTA from `first` on that differs from the one `apart` later; `end` if none before
  /// `end` does.
  [[nodiscard]] std::int64_t first_unlike(std::int64_t first, std::int64_t end,
                                          std::int64_t apart) const;

 private:
  void find_kinds() const;

  KernelLaunch kernel_;
  // Found when somebody asks: by CTA, the number of its kind, of which there are few.
  mutable std::vector<std::uint8_t> kinds_;
};

}  // namespace stcsim
