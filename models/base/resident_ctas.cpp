#include "models/base/resident_ctas.hpp"

#include <algorithm>
#include <iterator>

namespace stcsim {

void CtaSizes::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  kinds_.clear();
}

std::int64_t CtaSizes::first_unlike(std::int64_t first, std::int64_t end,
                                    std::int64_t apart) const {
  if (first >= end) return end;
  if (kinds_.empty()) find_kinds();
  const auto from = kinds_.begin() + first;
  return first + std::distance(from, std::mismatch(from, kinds_.begin() + end, from + apart).first);
}

void CtaSizes::find_kinds() const {
  std::vector<ResidentCta> known;  // one of each kind
  kinds_.reserve(static_cast<std::size_t>(kernel_.ctas()));
  for (std::int64_t number = 0; number < kernel_.ctas(); ++number) {
    const ResidentCta cta(kernel_, number);
    const auto like = std::find_if(known.begin(), known.end(), [&](const ResidentCta& other) {
      return cta.has_sizes_of(kernel_, other);
    });
    kinds_.push_back(static_cast<std::uint16_t>(std::distance(known.begin(), like)));
    if (like == known.end()) known.push_back(cta);
  }
}

}  // namespace stcsim
