#include <algorithm>
#include <ranges>
#include <set>

#include "workloads/files/trace_products.hpp"

namespace stcsim {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Most products of one number, or of the same sizes, that are looked at.
constexpr std::size_t kMostAlike = 1024;

/// What a product and its gradients have in common, in whatever order.
Sizes sizes_in_common(const TraceProduct& one) {
  Sizes sizes;
  if (one.kind == TraceProduct::Kind::convolution) {
    sizes = one.input;
    sizes.insert(sizes.end(), one.weight.begin(), one.weight.end());
  } else {
    sizes.assign(one.sizes.begin(), one.sizes.end());
    std::sort(sizes.begin() + 1, sizes.end());
  }
  sizes.push_back(static_cast<std::int64_t>(one.kind));
  return sizes;
}

}  // namespace

BackwardProducts::BackwardProducts(const std::vector<TraceProduct>& products)
    : products_(products), taken_(products.size()) {
  std::set<std::int64_t> numbers;
  for (const TraceProduct& one : products) {
    if (!one.is_backward && one.sequence >= 0) numbers.insert(one.sequence);
  }
  for (std::size_t at = 0; at < products.size(); ++at) {
    const TraceProduct& one = products[at];
    if (!one.is_backward) continue;
    const bool is_numbered = numbers.contains(one.sequence);
    Places& same = is_numbered ? by_number_[one.sequence] : by_sizes_[sizes_in_common(one)];
    if (!is_numbered || same.size() < kMostAlike) same.push_back(at);
  }
}

const TraceProduct* BackwardProducts::take(const TraceProduct& forward, const Fits& fits) {
  if (const auto found = by_number_.find(forward.sequence); found != by_number_.end()) {
    for (const std::size_t at : found->second) {
      if (!is_free(at, forward, fits)) continue;
      taken_[at] = true;
      return &products_[at];
    }
  }
  const auto found = by_sizes_.find(sizes_in_common(forward));
  if (found == by_sizes_.end()) return nullptr;
  Places& places = found->second;
  const auto last = places.end() - std::min<std::ptrdiff_t>(kMostAlike, std::ssize(places));
  for (auto at = places.end(); at != last;) {
    if (!is_free(*--at, forward, fits)) continue;
    const std::size_t place = *at;
    places.erase(at);
    taken_[place] = true;
    return &products_[place];
  }
  return nullptr;
}

bool BackwardProducts::is_free(std::size_t at, const TraceProduct& forward,
                               const Fits& fits) const {
  return products_[at].kind == forward.kind && !taken_[at] && fits(products_[at]);
}

std::vector<const TraceProduct*> BackwardProducts::rest() const {
  std::vector<const TraceProduct*> rest;
  for (std::size_t at = 0; at < products_.size(); ++at) {
    if (products_[at].is_backward && !taken_[at]) rest.push_back(&products_[at]);
  }
  return rest;
}

}  // namespace stcsim
