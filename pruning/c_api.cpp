// The pruning functions as other languages call them (libstcsim_pruning.so); Python does, in
// python/stcsim/training/pruning.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "pruning/prune.hpp"

namespace stcsim::pruning {
namespace {

thread_local std::string last_message;

}  // namespace

extern "C" {

/// PruneOptions: groups run along `axis`. `beta` is s-ste's scale, NaN to compute it.
struct StcsimPruning {
  const char* scheme;
  const char* pattern;
  std::int64_t axis;
  std::int64_t rows_axis;
  std::uint64_t seed;
  std::uint32_t draw;
  double beta;
};

[[gnu::visibility("default")]] const char* stcsim_message() {
  return last_message.c_str();
}

/// Prunes `values`, a contiguous tensor of this shape, where they are.
/// @param how its beta becomes the one that was used
/// @param rows_order null, or room for the extent of rows_axis: the order of schemes that have one
/// @return 0, or 1 if something is wrong, which stcsim_message() says
[[gnu::visibility("default")]] int stcsim_prune(StcsimPruning* how, const std::int64_t* shape,
                                                std::size_t axes, float* values,
                                                std::int64_t* rows_order) {
  try {
    Tensor tensor{{shape, shape + axes}, {}};
    tensor.values.assign(values, values + element_count(tensor.shape));
    PruneOptions options;
    const std::optional<Pattern> pattern = operand_pattern_from_string(how->pattern);
    if (!pattern) throw ConfigError(std::string("the pattern '") + how->pattern + "' is none");
    options.pattern = *pattern;
    options.axis = static_cast<std::size_t>(how->axis);
    options.rows_axis = static_cast<std::size_t>(how->rows_axis);
    options.seed = how->seed;
    options.draw = how->draw;
    if (!std::isnan(how->beta)) options.beta = how->beta;
    const Pruned pruned = prune(tensor, how->scheme, options);
    std::ranges::copy(pruned.values.values, values);
    if (pruned.beta) how->beta = *pruned.beta;
    if (rows_order != nullptr) std::ranges::copy(pruned.rows_order, rows_order);
    return 0;
  } catch (const std::exception& error) {
    last_message = error.what();
    return 1;
  }
}

}  // extern "C"

}  // namespace stcsim::pruning
