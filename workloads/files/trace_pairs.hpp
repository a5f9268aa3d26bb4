#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "workloads/files/trace_products.hpp"

namespace stcsim {

/// The backward products of a step, each of which belongs to one forward product.
class BackwardProducts {
 public:
  using Fits = std::function<bool(const TraceProduct&)>;

  explicit BackwardProducts(const std::vector<TraceProduct>& products);

  /// The next one of that forward product which `fits`: by autograd's number. Compiled programs
  /// have none; there the last one of its sizes, as backward goes the other way. Null: there is
  /// none; one that was taken is not found again.
  [[nodiscard]] const TraceProduct* take(const TraceProduct& forward, const Fits& fits);

  /// Those that nothing took.
  [[nodiscard]] std::vector<const TraceProduct*> rest() const;

 private:
  using Places = std::vector<std::size_t>;

  [[nodiscard]] bool is_free(std::size_t at, const TraceProduct& forward, const Fits& fits) const;

  const std::vector<TraceProduct>& products_;
  std::map<std::int64_t, Places> by_number_;
  /// Those whose number no forward product has.
  std::map<std::vector<std::int64_t>, Places> by_sizes_;
  std::vector<bool> taken_;
};

}  // namespace stcsim
