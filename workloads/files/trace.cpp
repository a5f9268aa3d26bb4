#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/text_file.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/readers.hpp"
#include "workloads/files/trace_products.hpp"

namespace stcsim {
namespace {

using Dims = std::vector<std::int64_t>;

/// A layer with the times of one operator, before equal ones are put together.
struct TimedLayer {
  Layer layer;
  std::array<double, 3> times{};  // by Phase, in microseconds
};

std::string shape_of(const Dims& dims) {
  return fmt::format("{}", fmt::join(dims, "x"));
}

/// Whole numbers of "[2, 2]".
Dims numbers_in(const std::string& text) {
  Dims numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) continue;
    numbers.push_back(value);
    at = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

/// Stride and pad that lead from an input to an output: the largest stride that its size allows,
/// the least pad. What is multiplied depends on the output's size alone.
std::optional<AxisWindow> window_between(std::int64_t input, std::int64_t kernel,
                                         std::int64_t output) {
  const std::int64_t stride = std::max<std::int64_t>(1, (input + output / 2) / output);
  for (std::int64_t pad = 0; pad <= std::min<std::int64_t>(kernel, 1024); ++pad) {
    const std::int64_t span = input + 2 * pad - kernel;
    if (span >= 0 && span / stride + 1 == output) return AxisWindow{stride, pad};
  }
  return std::nullopt;
}

/// Builds the network of one step.
class TraceNetwork {
 public:
  TraceNetwork(const TraceEvents& events, TraceStep step, Problems& problems)
      : events_(events), step_(std::move(step)), problems_(problems) {}

  ImportedNetwork build(const std::string& name) {
    read_.network.name = name;
    read_.network.description = "What a PyTorch profile ran in a step";
    find_batch();
    for (std::size_t at = 0; at < step_.products.size(); ++at) {
      const TraceProduct& one = step_.products[at];
      std::vector<std::size_t>& same = backward_[one.sequence];
      constexpr std::size_t kMostOfOne = 1024;
      if (one.is_backward && same.size() < kMostOfOne) same.push_back(at);
      ++dtypes_[one.dtype];
    }
    for (const TraceProduct& one : step_.products) {
      if (!one.is_backward) add_forward(one);
    }
    for (std::size_t at = 0; at < step_.products.size(); ++at) {
      const bool is_alone = step_.products[at].is_backward && !taken_.contains(at);
      if (is_alone) add_alone(step_.products[at]);
    }
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

  /// The next backward operator of that forward one which `fits`.
  template <class Fits>
  const TraceProduct* take_backward(const TraceProduct& forward, Fits fits) {
    const auto found = backward_.find(forward.sequence);
    if (forward.sequence < 0 || found == backward_.end()) return nullptr;
    for (const std::size_t at : found->second) {
      const TraceProduct& one = step_.products[at];
      if (one.kind != forward.kind || taken_.contains(at) || !fits(one)) continue;
      taken_.insert(at);
      return &one;
    }
    return nullptr;
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
    return take_backward(forward, [&](const TraceProduct& back) {
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
    const TraceProduct* const dgrad = take_product(one, m, k, n);
    const TraceProduct* const wgrad = take_product(one, n, k, m);
    if (dgrad != nullptr) timed.times[1] = dgrad->time;
    if (wgrad != nullptr) timed.times[2] = wgrad->time;
    settle_phases(timed.layer, dgrad != nullptr, wgrad != nullptr);
    timed.layer.name =
        is_batched ? "bmm_" + shape_of({count, m, n, k}) : "mm_" + shape_of({m, n, k});
    add(std::move(timed));
  }

  void add_attention(const TraceProduct& one) {
    const auto [count, queries, keys, features] = one.sizes;
    const TraceProduct* const back =
        take_backward(one, [&](const TraceProduct& other) { return other.sizes == one.sizes; });
    TimedLayer scores{product_layer(LayerRole::attention, count, keys, queries, features)};
    scores.layer.causal = one.is_causal;
    scores.layer.name = "attention_" + shape_of({count, queries, keys, features});
    settle_phases(scores.layer, back != nullptr, back != nullptr);
    TimedLayer values = scores;
    std::swap(values.layer.bmm_m, values.layer.bmm_k);
    values.layer.name += ".values";
    scores.layer.name += ".scores";
    scores.layer.after = {StreamOp::softmax};
    // One kernel does both: its time is written at the first.
    scores.times[0] = one.time;
    if (back != nullptr) scores.times[1] = back->time;
    add(std::move(scores));
    add(std::move(values));
  }

  /// Stride, pad, dilation and groups as "Concrete Inputs" have them, if they do.
  bool take_settings(const TraceProduct& one, Layer& layer) {
    const TraceOp& op = op_of(one);
    const bool is_general = op.name.find("convolution") != std::string::npos;
    constexpr std::size_t kStride = 3;
    const std::size_t groups_at = is_general ? 8 : 6;
    if (op.values.size() <= groups_at) return false;
    const Dims stride = numbers_in(op.values[kStride]);
    const Dims pad = numbers_in(op.values[kStride + 1]);
    const Dims dilation = numbers_in(op.values[kStride + 2]);
    if (stride.empty() || pad.empty() || dilation.empty()) return false;
    layer.dilation = dilation.front();
    set_windows(layer, {stride.front(), pad.front()}, {stride.back(), pad.back()});
    is_transposed_ = is_general && op.values[kStride + 3].find("True") != std::string::npos;
    return true;
  }

  /// The size of its output where nothing else says it: what the next operator reads.
  [[nodiscard]] Dims next_input(const TraceProduct& one) const {
    const TraceOp& op = op_of(one);
    for (auto at = static_cast<std::size_t>(one.op) + 1; at < events_.ops.size(); ++at) {
      const TraceOp& next = events_.ops[at];
      if (next.thread != op.thread) break;
      if (next.start < op.end()) continue;
      const bool fits = !next.dims.empty() && next.dims[0].size() == one.input.size() &&
                        next.dims[0][0] == one.input[0] && next.dims[0][1] == one.weight[0];
      if (fits) return next.dims[0];
      if (!next.dims.empty() && !next.dims[0].empty()) break;
    }
    return {};
  }

  bool find_window(Layer& layer, const Dims& output) {
    if (output.size() < 3) return false;
    const auto rows = output.size() == 4
                          ? window_between(layer.height, layer.kernel_height, output[2])
                          : std::optional(AxisWindow{});
    const auto columns = window_between(layer.width, layer.kernel_width, output.back());
    if (rows && columns) set_windows(layer, *rows, *columns);
    return rows && columns;
  }

  void add_convolution(const TraceProduct& one) {
    const std::string what =
        fmt::format("{} {} by {}", op_of(one).name, shape_of(one.input), shape_of(one.weight));
    const std::optional<Layer> read = convolution_layer(one.input, one.weight);
    if (!read) return problems_.add(what + " is no convolution of one or two dimensions");
    TimedLayer timed{*read};
    Layer& layer = timed.layer;
    const TraceProduct* dgrad = take_backward(one, [](const auto& back) { return back.has_dgrad; });
    const TraceProduct* wgrad =
        dgrad != nullptr && dgrad->has_wgrad
            ? dgrad
            : take_backward(one, [](const auto& back) { return back.has_wgrad; });
    is_transposed_ = false;
    const TraceProduct* const any = dgrad != nullptr ? dgrad : wgrad;
    if (!take_settings(one, layer) &&
        !find_window(layer, any != nullptr ? any->output : next_input(one))) {
      return problems_.add(what +
                           ": its stride is not stated, and nothing tells its output's size");
    }
    if (is_transposed_ || one.input[0] != batch_) {
      return problems_.add(what + (is_transposed_
                                       ? " is transposed, which is not read"
                                       : fmt::format(": other ones have batch {}", batch_)));
    }
    timed.times = {one.time, dgrad == nullptr ? 0 : dgrad->time,
                   wgrad == nullptr ? 0 : wgrad->wgrad_time};
    settle_phases(timed.layer, dgrad != nullptr, wgrad != nullptr);
    layer.name = fmt::format("conv_{}_{}_of_{}", shape_of(one.weight), layer.stride,
                             shape_of(Dims(one.input.begin() + 2, one.input.end())));
    add(std::move(timed));
  }

  /// A gradient whose forward product is not there.
  void add_alone(const TraceProduct& one) {
    if (one.kind == TraceProduct::Kind::convolution || one.kind == TraceProduct::Kind::attention) {
      read_.left_out.push_back(op_of(one).name + " without its forward operator");
      return;
    }
    const auto [count, m, n, k] = one.sizes;
    TimedLayer timed{gemm_layer(Phase::dgrad, m, n, k, count), {0, one.time, 0}};
    timed.layer.name = fmt::format("backward_{}", shape_of({count, m, n, k}));
    add(std::move(timed));
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
    std::int64_t backward = 0;
    double time = 0;
    for (const TraceProduct& one : step_.products) {
      backward += one.is_backward ? 1 : 0;
      time += one.time + one.wgrad_time;
    }
    constexpr double kMilliseconds = 1000;
    read_.recognised = fmt::format(
        "PyTorch profile, {}: {} products and convolutions, {} of them backward, {:.3g} ms of "
        "kernels",
        step_.name.empty() ? "the whole of it as one step"
                           : fmt::format("{} of {} steps", step_.name, step_.steps),
        step_.products.size(), backward, time / kMilliseconds);
    for (const auto& [type, count] : dtypes_) {
      read_.recognised += fmt::format(", {} of {}", count, type.empty() ? "unknown type" : type);
    }
    if (step_.other_kernels > 0) {
      read_.left_out.push_back(fmt::format("{} kernels of other operators ({:.3g} ms)",
                                           step_.other_kernels, step_.other_time / kMilliseconds));
    }
    if (step_.outside_kernels > 0) {
      read_.left_out.push_back(fmt::format("{} kernels that no operator launched ({})",
                                           step_.outside_kernels,
                                           fmt::join(step_.outside_names, ", ")));
    }
    if (events_.is_cut) read_.left_out.emplace_back("the end of the file, which is cut");
  }

  const TraceEvents& events_;
  TraceStep step_;
  Problems& problems_;
  ImportedNetwork read_;
  std::int64_t batch_ = 1;
  bool is_transposed_ = false;
  /// Backward products by the sequence number of their forward operator; those that are taken.
  std::map<std::int64_t, std::vector<std::size_t>> backward_;
  std::set<std::size_t> taken_;
  std::map<std::string, std::int64_t> dtypes_;
  std::vector<TimedLayer> layers_;
};

}  // namespace

ImportedNetwork read_trace(const std::filesystem::path& path, const std::string& name) {
  Problems problems(path.string(), "PyTorch profile");
  const TraceEvents events = read_trace_events(path, problems);
  TraceStep step = last_step(events, problems);
  return TraceNetwork(events, std::move(step), problems).build(name);
}

}  // namespace stcsim
