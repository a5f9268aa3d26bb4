#include "reports/papers/paper_methods.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stcsim {
namespace {

/// Why a scheme of the pruning library cannot prune to the pattern; "" if it can.
std::string find_method_fault(const pruning::Scheme& scheme, Pattern pattern) {
  if (scheme.only && pattern != *scheme.only) {
    return fmt::format("'{}' is for {} only, the pattern is {}", scheme.name,
                       scheme.only->to_string(), pattern.to_string());
  }
  if (pattern.granule > 1 && !scheme.keeps_pairs) {
    return fmt::format("'{}' keeps and drops single elements, the pattern is {}", scheme.name,
                       pattern.to_string());
  }
  if (pattern.selects_columns() && !scheme.selects_columns) {
    return fmt::format("'{}' chooses in each row for itself, the pattern is {}", scheme.name,
                       pattern.to_string());
  }
  return "";
}

}  // namespace

Pattern read_sparse_pattern(MapReader& map) {
  const Pattern pattern = map.get_pattern("pattern");
  if (pattern.is_dense() || pattern.is_composed()) {
    map.fail("pattern",
             fmt::format("'pattern' is {}, must be n:m with n < m", pattern.to_string()));
  }
  return pattern;
}

std::string read_method_of(MapReader& map, const std::vector<std::string_view>& names) {
  std::string method = map.get_string("method");
  if (std::ranges::find(names, method) == names.end()) {
    map.fail("method",
             fmt::format("'method' is '{}', must be one of {}", method, fmt::join(names, ", ")));
  }
  return method;
}

std::string read_pruning_method(MapReader& map, Pattern pattern,
                                bool (*suits)(const pruning::Scheme&), std::string_view besides) {
  std::vector<std::string_view> names;
  if (!besides.empty()) names.push_back(besides);
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    if (suits(scheme)) names.push_back(scheme.name);
  }
  std::string method = read_method_of(map, names);
  if (method == besides) return method;
  const std::string fault = find_method_fault(pruning::find_scheme(method), pattern);
  if (!fault.empty()) map.fail("method", fault);
  return method;
}

}  // namespace stcsim
