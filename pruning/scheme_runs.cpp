#include <utility>

#include "common/error.hpp"
#include "pruning/adaprune.hpp"
#include "pruning/channel_permutation.hpp"
#include "pruning/double_pruning.hpp"
#include "pruning/magnitude.hpp"
#include "pruning/mvue.hpp"
#include "pruning/schemes.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
namespace {

Matrix like(const Matrix& matrix) {
  return {matrix.rows, matrix.columns};
}

/// The one plane of a scheme for groups.
const Matrix& lines(const SchemeInput& in) {
  return in.planes.front();
}

/// Calls prune(plane, result, execution) for every plane; progress counts all of them.
template <typename Prune>
void for_each_plane(const SchemeInput& in, SchemeOutput& out, Prune prune) {
  const Execution& how = in.options.how;
  const auto planes = std::ssize(in.planes);
  for (std::int64_t index = 0; index < planes; ++index) {
    Execution plane_how{how.threads, {}};
    if (how.progress) {
      plane_how.progress = [&how, index, planes](std::int64_t done, std::int64_t total) {
        how.progress(index * total + done, planes * total);
      };
    }
    const Matrix& plane = in.planes[static_cast<std::size_t>(index)];
    prune(plane, plane_how, out.values.emplace_back(like(plane)));
  }
}

void take(DoublePruned pruned, SchemeOutput& out) {
  out.values = std::move(pruned.forward);
  out.backward = std::move(pruned.backward);
  out.rows_order = std::move(pruned.row_order);
}

/// The calibration inputs, checked against the weights.
Matrix samples_for(const Matrix& weights, const PruneOptions& options) {
  if (!options.samples) {
    throw ConfigError("adaprune needs calibration inputs, samples x " +
                      std::to_string(weights.columns));
  }
  const Tensor& samples = *options.samples;
  validate(samples);
  if (samples.shape.size() != 2 || samples.shape[1] != weights.columns) {
    throw ConfigError("the calibration inputs have the shape " + shape_text(samples.shape) +
                      ", must be samples x " + std::to_string(weights.columns) +
                      " (the length of the pruned axis)");
  }
  return to_planes(samples, {1, {}}).front();
}

}  // namespace

void run_random(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_at_random(lines(in), o.pattern, o.seed, o.draw, o.how.threads,
                  out.values.emplace_back(like(lines(in))));
}

void run_magnitude(const SchemeInput& in, SchemeOutput& out) {
  prune_by_magnitude(lines(in), in.options.pattern, in.options.how.threads,
                     out.values.emplace_back(like(lines(in))));
}

void run_rescaled(const SchemeInput& in, SchemeOutput& out) {
  prune_rescaled(lines(in), in.options.pattern, in.options.rescale, in.samples,
                 in.options.how.threads, out.values.emplace_back(like(lines(in))));
}

void run_mvue(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_mvue(lines(in), o.pattern, o.seed, o.draw, o.how.threads,
             out.values.emplace_back(like(lines(in))));
}

void run_mvue_pairs(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_mvue_pairs(lines(in), o.seed, o.draw, o.how.threads,
                   out.values.emplace_back(like(lines(in))));
}

void run_approximate_mvue(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  prune_approximate_mvue(lines(in), o.seed, o.draw, o.how.threads,
                         out.values.emplace_back(like(lines(in))));
}

void run_transposable(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [&](const Matrix& plane, const Execution& how, Matrix& result) {
    prune_transposable(plane, in.options.pattern, how, result);
  });
}

void run_transposable_exactly(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [&](const Matrix& plane, const Execution& how, Matrix& result) {
    prune_transposable_exactly(plane, in.options.pattern, how, result);
  });
}

void run_greedy_keep(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [&](const Matrix& plane, const Execution& how, Matrix& result) {
    prune_greedy_keep(plane, in.options.pattern, how, result);
  });
}

void run_greedy_prune(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [&](const Matrix& plane, const Execution& how, Matrix& result) {
    prune_greedy_prune(plane, in.options.pattern, how, result);
  });
}

void run_transport(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [&](const Matrix& plane, const Execution& how, Matrix& result) {
    prune_by_transport(plane, in.options.pattern, how, result);
  });
}

void run_exhaustive(const SchemeInput& in, SchemeOutput& out) {
  for_each_plane(in, out, [](const Matrix& plane, const Execution& how, Matrix& result) {
    prune_exhaustively(plane, how, result);
  });
}

void run_bi_mask(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  take(prune_bi_mask(in.planes, o.pattern, o.candidates, o.seed, o.how), out);
}

void run_slope(const SchemeInput& in, SchemeOutput& out) {
  take(prune_double(in.planes, in.options.pattern, in.options.how), out);
}

void run_sr_ste(const SchemeInput& in, SchemeOutput& out) {
  run_magnitude(in, out);
  out.decay.push_back(
      sr_ste_decay(lines(in), out.values.front(), static_cast<float>(in.options.decay)));
}

void run_s_ste(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  out.beta = o.beta ? static_cast<float>(*o.beta)
                    : soft_threshold_scale(lines(in), o.pattern, o.how.threads);
  soft_threshold(lines(in), o.pattern, *out.beta, o.how.threads,
                 out.values.emplace_back(like(lines(in))));
}

void run_adaprune(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  const Matrix samples = samples_for(lines(in), o);
  AdaPruneOptions training;
  training.iterations = o.iterations;
  training.seed = o.seed;
  out.values.push_back(adaprune(lines(in), o.pattern, samples, training, o.how));
}

void run_asp_permuted(const SchemeInput& in, SchemeOutput& out) {
  const PruneOptions& o = in.options;
  out.order = find_channel_order(lines(in), o.candidates, o.seed, o.how);
  Matrix pruned = like(lines(in));
  prune_by_magnitude(reordered(lines(in), out.order), o.pattern, o.how.threads, pruned);
  out.values.push_back(restored(pruned, out.order));
}

}  // namespace stcsim::pruning
