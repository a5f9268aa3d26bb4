#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/text_file.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/profile.hpp"
#include "workloads/files/readers.hpp"
#include "workloads/files/trace_products.hpp"

namespace stcsim {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr double kMicrosecondsOfOne = 1000;  // millisecond

/// A layer with the times of one operator, before equal ones are put together.
struct TimedLayer {
  Layer layer;
  std::array<double, 3> times{};  // by Phase, in microseconds
  int op = -1;                    // of forward, index into TraceEvents::ops
};

std::string shape_of(const Dims& dims) {
  return fmt::format("{}", fmt::join(dims, "x"));
}

/// Builds the network of one step.
class TraceNetwork {
 public:
  /// Both must outlive it.
  TraceNetwork(const Profile& profile, Problems& problems, bool keeps_times)
      : events_(profile.events),
        step_(profile.step),
        problems_(problems),
        keeps_times_(keeps_times),
        backward_(step_.products) {}

  ImportedNetwork build(const std::string& name) {
    read_.network.name = name;
    read_.network.description = "What a PyTorch profile ran in a step";
    find_batch();
    for (const TraceProduct& one : step_.products) {
      ++dtypes_[one.dtype];
      if (!one.is_backward) add_forward(one);
    }
    if (keeps_times_) find_feed_forward();
    for (const TraceProduct* const one : backward_.rest()) add_alone(*one);
    put_together();
    check_layers(read_.network, problems_);
    describe();
    return std::move(read_);
  }

 private:
  [[nodiscard]] const TraceOp& op_of(const TraceProduct& one) const {
    return events_.ops[static_cast<std::size_t>(one.op)];
  }

  /// Samples of a step: what the convolutions have in common.
  void find_batch() {
    std::map<std::int64_t, std::int64_t> batches;
    for (const TraceProduct& one : step_.products) {
      if (one.kind == TraceProduct::Kind::convolution && !one.input.empty())
        ++batches[one.input[0]];
    }
    if (batches.empty()) return;
    batch_ =
        std::ranges::max_element(batches, {}, [](const auto& one) { return one.second; })->first;
    read_.network.batch = batch_;
  }

  void add_forward(const TraceProduct& one) {
    if (one.kind == TraceProduct::Kind::attention) return add_attention(one);
    if (one.kind == TraceProduct::Kind::convolution) return add_convolution(one);
    add_product(one);
  }

  /// What of the gradients ran, as the layer says it.
  static void settle_phases(Layer& layer, bool has_dgrad, bool has_wgrad) {
    if (has_wgrad && !has_dgrad && layer.kind != LayerKind::bmm) {
      layer.needs_dgrad = false;
    } else if (!has_dgrad || !has_wgrad) {
      layer.phases = {Phase::forward};
      if (has_dgrad) layer.phases.push_back(Phase::dgrad);
      if (has_wgrad) layer.phases.push_back(Phase::wgrad);
    }
  }

  /// The backward operator that multiplied [m x k] by [k x n], or the transposes.
  const TraceProduct* take_product(const TraceProduct& forward, std::int64_t m, std::int64_t n,
                                   std::int64_t k) {
    using Sizes = std::array<std::int64_t, 4>;
    const std::int64_t count = forward.sizes[0];
    return backward_.take(forward, [&](const TraceProduct& back) {
      return back.sizes == Sizes{count, m, n, k} || back.sizes == Sizes{count, n, m, k};
    });
  }

  void add_product(const TraceProduct& one) {
    const auto [count, m, n, k] = one.sizes;
    const bool is_batched = one.kind == TraceProduct::Kind::bmm;
    TimedLayer timed;
    timed.layer = is_batched ? product_layer(LayerRole::body, count, m, n, k)
                             : linear_layer("", LayerRole::body, k, n, m, false);
    timed.times[0] = one.time;
    const TraceProduct* dgrad = take_product(one, m, k, n);
    const TraceProduct* wgrad = take_product(one, n, k, m);
    if (is_batched) std::swap(dgrad, wgrad);  // a batched layer is not stated transposed
    if (dgrad != nullptr) timed.times[1] = dgrad->time;
    if (wgrad != nullptr) timed.times[2] = wgrad->time;
    settle_phases(timed.layer, dgrad != nullptr, wgrad != nullptr);
    timed.op = one.op;
    timed.layer.name =
        is_batched ? "bmm_" + shape_of({count, m, n, k}) : "mm_" + shape_of({m, n, k});
    add(std::move(timed));
  }

  /// Linear layers that widen, one or two (gated), and the one after them that narrows back.
  void find_feed_forward() {
    const auto is_back = [&](std::size_t at, std::size_t after) {
      const Layer& wide = layers_[at].layer;
      const Layer& back = layers_[after].layer;
      return wide.kind == LayerKind::linear && back.kind == LayerKind::linear &&
             wide.out_channels > wide.in_channels && back.in_channels == wide.out_channels &&
             back.out_channels == wide.in_channels;
    };
    for (std::size_t at = 0; at + 1 < layers_.size(); ++at) {
      const bool is_gated = at + 2 < layers_.size() && layers_[at].layer == layers_[at + 1].layer &&
                            is_back(at, at + 2);
      if (!is_gated && !is_back(at, at + 1)) continue;
      const std::size_t last = at + (is_gated ? 2 : 1);
      for (; at <= last; ++at) settle_operations(at, at == last);
      --at;
    }
  }

  /// Its bias, and the dropout that ran before the next product; the last one ends the branch.
  void settle_operations(std::size_t at, bool is_last) {
    TimedLayer& timed = layers_[at];
    const TraceOp& own = events_.ops[static_cast<std::size_t>(timed.op)];
    const int next_op = at + 1 < layers_.size() ? layers_[at + 1].op : -1;
    const double until = next_op < 0 ? std::numeric_limits<double>::infinity()
                                     : events_.ops[static_cast<std::size_t>(next_op)].start;
    timed.layer.role = LayerRole::ffn;
    timed.layer.bias = own.name == "aten::addmm";
    if (timed.layer.bias) timed.layer.after.push_back(StreamOp::bias);
    const bool is_dropped = std::ranges::any_of(step_.launches, [&](const TraceLaunch& launch) {
      if (launch.op < 0 || launch.time < own.end() || launch.time >= until) return false;
      return events_.ops[static_cast<std::size_t>(launch.op)].name == "aten::native_dropout";
    });
    if (is_dropped) timed.layer.after.push_back(StreamOp::dropout);
    if (is_last) timed.layer.after.push_back(StreamOp::residual_add);
  }

  void add_attention(const TraceProduct& one) {
    const TraceProduct* const back =
        backward_.take(one, [&](const TraceProduct& other) { return other.sizes == one.sizes; });
    Layer scores = scores_of(one);
    settle_phases(scores, back != nullptr, back != nullptr);
    add_attention(std::move(scores), {one.time, back == nullptr ? 0 : back->time, 0});
  }

  static Layer scores_of(const TraceProduct& one) {
    const auto [count, queries, keys, features] = one.sizes;
    Layer scores = product_layer(LayerRole::attention, count, keys, queries, features);
    scores.causal = one.is_causal;
    scores.name = "attention_" + shape_of({count, queries, keys, features});
    return scores;
  }

  /// One kernel does both products: its time is written at the first.
  void add_attention(Layer scores, const std::array<double, 3>& times) {
    Layer values = scores;
    std::swap(values.bmm_m, values.bmm_k);
    values.name += ".values";
    scores.name += ".scores";
    scores.after = {StreamOp::softmax};
    add({std::move(scores), times});
    add({std::move(values), {}});
  }

  void add_convolution(const TraceProduct& one) {
    const TraceProduct* dgrad =
        backward_.take(one, [](const auto& back) { return back.has_dgrad; });
    const TraceProduct* wgrad =
        dgrad != nullptr && dgrad->has_wgrad
            ? dgrad
            : backward_.take(one, [](const auto& back) { return back.has_wgrad; });
    const TraceProduct* const any = dgrad != nullptr ? dgrad : wgrad;
    std::optional<Layer> layer = convolution_of(one, any);
    if (!layer) return;
    settle_phases(*layer, dgrad != nullptr, wgrad != nullptr);
    add({std::move(*layer),
         {one.time, dgrad == nullptr ? 0 : dgrad->time, wgrad == nullptr ? 0 : wgrad->wgrad_time}});
  }

  /// The layer of a convolution, or of its gradient; a problem if it cannot be one.
  /// @param back has its output's size, if anything has
  std::optional<Layer> convolution_of(const TraceProduct& one, const TraceProduct* back) {
    std::optional<Layer> layer;
    if (one.input.size() < 5) layer = convolution_layer(one.input, one.weight);
    std::string fault = layer ? settle_windows(*layer, events_, one, back)
                              : " is no convolution of one or two dimensions";
    if (fault.empty() && one.input[0] != batch_) {
      fault = fmt::format(": other ones have batch {}", batch_);
    }
    if (!fault.empty()) {
      problems_.add(fmt::format("{} {} by {}{}", op_of(one).name, shape_of(one.input),
                                shape_of(one.weight), fault));
      return std::nullopt;
    }
    layer->name = fmt::format("conv_{}_{}_of_{}", shape_of(one.weight), layer->stride,
                              shape_of(Dims(one.input.begin() + 2, one.input.end())));
    return layer;
  }

  /// A gradient whose forward product is not there: a layer that has no other phase.
  void add_alone(const TraceProduct& one) {
    const double time = one.time + one.wgrad_time;
    if (one.kind == TraceProduct::Kind::attention) {
      Layer scores = scores_of(one);
      scores.phases = {Phase::dgrad, Phase::wgrad};
      return add_attention(std::move(scores), {0, time, 0});
    }
    if (one.kind == TraceProduct::Kind::convolution) return add_gradient(one);
    const auto [count, m, n, k] = one.sizes;
    TimedLayer timed{gemm_layer(Phase::dgrad, m, n, k, count), {0, time, 0}};
    timed.layer.name = fmt::format("backward_{}", shape_of({count, m, n, k}));
    add(std::move(timed));
  }

  void add_gradient(const TraceProduct& one) {
    if (one.input.empty() || one.weight.empty()) {
      read_.left_out.push_back(fmt::format("{} without its forward operator ({:.3g} ms)",
                                           op_of(one).name,
                                           (one.time + one.wgrad_time) / kMicrosecondsOfOne));
      return;
    }
    std::optional<Layer> layer = convolution_of(one, &one);
    if (!layer) return;
    layer->phases.clear();
    if (one.has_dgrad) layer->phases.push_back(Phase::dgrad);
    if (one.has_wgrad) layer->phases.push_back(Phase::wgrad);
    layer->name = "backward_" + layer->name;
    add({std::move(*layer), {0, one.time, one.wgrad_time}});
  }

  /// Sizes of samples, of a step's batch; rows that do not divide evenly are refused by name.
  void add(TimedLayer timed) {
    Layer& layer = timed.layer;
    std::int64_t& rows = layer.kind == LayerKind::bmm ? layer.count : layer.height;
    const bool is_of_batch = layer.kind == LayerKind::conv || rows % batch_ == 0;
    if (!is_of_batch) {
      return problems_.add(fmt::format("{}: {} is no multiple of the batch {} of the convolutions",
                                       layer.name, rows, batch_));
    }
    if (layer.kind != LayerKind::conv) rows /= batch_;
    for (const double time : timed.times) simulated_time_ += time;
    layers_.push_back(std::move(timed));
  }

  /// Equal layers become one; its times are their means.
  void put_together() {
    std::vector<TimedLayer> different;
    std::map<Layer, std::size_t> places;
    for (TimedLayer& timed : layers_) {
      const auto [place, is_new] = places.emplace(timed.layer, different.size());
      if (is_new) {
        different.push_back(std::move(timed));
        continue;
      }
      TimedLayer& same = different[place->second];
      ++same.layer.repeat;
      for (std::size_t at = 0; at < timed.times.size(); ++at) {
        same.times.at(at) += timed.times.at(at);
      }
    }
    for (TimedLayer& timed : different) {
      const auto mean = [&](std::size_t at) {
        constexpr double kNanoseconds = 1000;
        return std::llround(timed.times.at(at) * kNanoseconds /
                            static_cast<double>(timed.layer.repeat));
      };
      const MeasuredTimes times{mean(0), mean(1), mean(2)};
      if (times != MeasuredTimes{}) timed.layer.measured = times;
      timed.layer.name = printable(timed.layer.name);
      read_.network.layers.push_back(std::move(timed.layer));
    }
    number_equal_names(read_.network.layers);
  }

  void describe() {
    const auto backward = std::ranges::count_if(step_.products, &TraceProduct::is_backward);
    read_.recognised = fmt::format(
        "PyTorch profile, {}: {} products and convolutions, {} of them backward, {:.3g} ms of "
        "kernels",
        step_.name.empty() ? "the whole of it as one step"
                           : fmt::format("{} of {} steps", step_.name, step_.steps),
        step_.products.size(), backward, simulated_time_ / kMicrosecondsOfOne);
    for (const auto& [type, count] : dtypes_) {
      read_.recognised += fmt::format(", {} of {}", count, type.empty() ? "unknown type" : type);
    }
    if (step_.other_kernels > 0) {
      read_.left_out.push_back(fmt::format("{} kernels of other operators ({:.3g} ms)",
                                           step_.other_kernels,
                                           step_.other_time / kMicrosecondsOfOne));
    }
    if (step_.outside_kernels > 0) {
      read_.left_out.push_back(fmt::format("{} kernels that no operator launched ({})",
                                           step_.outside_kernels,
                                           fmt::join(step_.outside_names, ", ")));
    }
    if (events_.is_cut) read_.left_out.emplace_back("the end of the file, which is cut");
  }

  const TraceEvents& events_;
  const TraceStep& step_;
  Problems& problems_;
  bool keeps_times_;
  ImportedNetwork read_;
  std::int64_t batch_ = 1;
  BackwardProducts backward_;
  /// Of the kernels of all layers, in microseconds.
  double simulated_time_ = 0;
  std::map<std::string, std::int64_t> dtypes_;
  std::vector<TimedLayer> layers_;
};

}  // namespace

ImportedNetwork read_trace(const std::filesystem::path& path, const std::string& name,
                           bool keeps_times) {
  Problems problems(path.string(), "PyTorch profile");
  Profile profile;
  if (keeps_times) {
    profile = read_profile(path);
  } else {
    profile.events = read_trace_events(path, problems);
    profile.step = last_step(profile.events, problems);
  }
  ImportedNetwork read = TraceNetwork(profile, problems, keeps_times).build(name);
  if (!keeps_times) return read;
  MeasuredStep step = measured_step_of(profile);
  for (const Layer& layer : read.network.layers) {
    const MeasuredTimes times = layer.measured.value_or(MeasuredTimes{});
    step.others_ns -= layer.repeat * (times.forward_ns + times.dgrad_ns + times.wgrad_ns);
  }
  read.network.measured_step = std::move(step);
  return read;
}

}  // namespace stcsim
