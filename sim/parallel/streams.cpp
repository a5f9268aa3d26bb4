#include "sim/parallel/streams.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/collectives/collective.hpp"

namespace stcsim {
namespace {

constexpr double kMebibyte = 1 << 20;
constexpr const char* kGradients = "gradients";
constexpr const char* kWeights = "weights";
constexpr const char* kOutputs = "outputs";
constexpr const char* kMasks = "masks";

class StreamBuilder {
 public:
  StreamBuilder(const StepParts& parts, const ParallelConfig& parallel, std::int64_t gpus)
      : parts_(parts), parallel_(parallel), gpus_(gpus) {}

  StepStreams build() {
    if (!is_alone() && parts_.mask_bytes > 0) {
      add_comm(kMasks, CollectiveOp::all_gather, parts_.mask_bytes, std::nullopt);
      needs_ = last_comm();
    }
    for (std::int64_t batch = 0; batch < parts_.accumulation; ++batch) {
      add_forward(batch == 0);
      add_backward(batch + 1 == parts_.accumulation);
      if (parts_.wait_us > 0) add_compute(parts_.wait_us, KernelClass::wait);
    }
    needs_ = last_comm();
    const bool is_shared = is(Sharding::zero1) || is(Sharding::zero2) || is(Sharding::fsdp);
    add_compute(parts_.optimizer_us / static_cast<double>(is_shared ? gpus_ : 1),
                KernelClass::other);
    return std::move(step_);
  }

 private:
  [[nodiscard]] bool is(Sharding sharding) const { return parallel_.sharding == sharding; }
  [[nodiscard]] bool is_alone() const { return gpus_ == 1; }
  [[nodiscard]] std::optional<std::size_t> last_comm() const {
    if (step_.comm.empty()) return std::nullopt;
    return step_.comm.size() - 1;
  }
  [[nodiscard]] std::optional<std::size_t> last_compute() const {
    if (step_.compute.empty()) return std::nullopt;
    return step_.compute.size() - 1;
  }

  void add_compute(double us, KernelClass kind) {
    step_.compute.push_back({us, kind, needs_});
    needs_.reset();
  }
  void add_comm(const char* name, CollectiveOp op, double bytes, std::optional<std::size_t> after) {
    const Collective what{op, bytes, gpus_, parallel_.system.nodes_of(gpus_)};
    step_.comm.push_back({name, collective_time(parallel_.system.links, what).us, after});
  }

  void add_unit(const std::array<double, kKernelClasses>& times) {
    for (std::size_t kind = 0; kind < kKernelClasses; ++kind) {
      if (times.at(kind) > 0) add_compute(times.at(kind), static_cast<KernelClass>(kind));
    }
    // A unit without kernels still has a place in the order of things.
    if (needs_) add_compute(0, KernelClass::other);
  }

  /// Gathers a unit's weights.
  /// @return the collective; nothing where there are none
  std::optional<std::size_t> gather(double bytes, std::optional<std::size_t> after) {
    if (bytes <= 0) return std::nullopt;
    add_comm(kWeights, CollectiveOp::all_gather, bytes, after);
    return last_comm();
  }

  /// Kernels of all units of a pass, in its order; where it gathers, weights come one unit ahead.
  template <class After>
  void add_pass(bool is_forward, bool gathers, After after) {
    const auto bytes = is_forward ? &UnitParts::forward_bytes : &UnitParts::backward_bytes;
    const auto times = is_forward ? &UnitParts::forward : &UnitParts::backward;
    std::vector<const UnitParts*> units;
    for (const UnitParts& unit : parts_.units) units.push_back(&unit);
    if (!is_forward) std::ranges::reverse(units);
    std::optional<std::size_t> ahead;
    if (gathers) {
      ahead = gather(units.front()->*bytes, parallel_.overlap ? before_ : last_compute());
    }
    for (std::size_t at = 0; at < units.size(); ++at) {
      if (ahead) needs_ = ahead;
      before_ = last_compute();
      const bool has_next = gathers && at + 1 < units.size();
      if (has_next && parallel_.overlap) ahead = gather(units[at + 1]->*bytes, before_);
      add_unit(units[at]->*times);
      after(*units[at]);
      if (has_next && !parallel_.overlap) ahead = gather(units[at + 1]->*bytes, last_compute());
    }
  }

  void add_forward(bool is_first) {
    const bool gathers_update = is_first && (is(Sharding::zero1) || is(Sharding::zero2));
    add_pass(true, !is_alone() && (is(Sharding::fsdp) || gathers_update),
             [this](const UnitParts& unit) { sum_outputs(unit); });
  }

  void add_backward(bool is_last) {
    double waiting = 0;
    add_pass(false, !is_alone() && is(Sharding::fsdp), [&](const UnitParts& unit) {
      sum_outputs(unit);
      if (is(Sharding::fsdp)) {
        sum_gradients(unit.gradient_bytes);
      } else if (is_last && !is(Sharding::tp)) {
        waiting = sum_buckets(waiting + unit.gradient_bytes);
      }
    });
    sum_gradients(waiting);
  }

  void sum_gradients(double bytes) {
    if (is_alone() || bytes <= 0) return;
    add_comm(kGradients,
             is(Sharding::ddp) ? CollectiveOp::all_reduce : CollectiveOp::reduce_scatter, bytes,
             last_compute());
    if (!parallel_.overlap) needs_ = last_comm();
  }

  /// Sums what fills buckets.
  /// @return the bytes that are left; all of them where nothing overlaps
  double sum_buckets(double bytes) {
    const double bucket = parallel_.bucket_mib * kMebibyte;
    if (!parallel_.overlap) return bytes;
    for (; bytes >= bucket; bytes -= bucket) sum_gradients(bucket);
    return bytes;
  }

  void sum_outputs(const UnitParts& unit) {
    if (is_alone() || !is(Sharding::tp)) return;
    for (const double bytes : unit.sums_bytes) {
      add_comm(kOutputs, CollectiveOp::all_reduce, bytes, last_compute());
      needs_ = last_comm();
    }
  }

  const StepParts& parts_;
  const ParallelConfig& parallel_;
  std::int64_t gpus_;
  StepStreams step_;
  /// What the next kernel waits for.
  std::optional<std::size_t> needs_;
  /// The last kernel of the unit before the one that runs: what comes next is gathered from then
  /// on.
  std::optional<std::size_t> before_;
};

/// One stream: which item it is at, and what is left of that.
struct Head {
  std::size_t at = 0;
  double left_us = 0;
};

class StreamPlayer {
 public:
  StreamPlayer(const StepStreams& step, const BesideCollectives& beside)
      : step_(step), factors_{beside.products, beside.attention, beside.others, 1} {
    for (const CommItem& one : step.comm) add_time(times_.collectives, one.name, one.us);
    for (const ComputeItem& one : step.compute) times_.kernels_us += one.us;
    load(compute_, step_.compute);
    load(comm_, step_.comm);
  }

  StreamTimes play() {
    while (is_left(compute_, step_.compute) || is_left(comm_, step_.comm)) advance();
    return std::move(times_);
  }

 private:
  template <class Items>
  static bool is_left(const Head& head, const Items& items) {
    return head.at < items.size();
  }
  template <class Items>
  static void load(Head& head, const Items& items) {
    if (is_left(head, items)) head.left_us = items[head.at].us;
  }

  [[nodiscard]] bool computes() const {
    if (!is_left(compute_, step_.compute)) return false;
    const std::optional<std::size_t> needs = step_.compute[compute_.at].needs;
    return !needs || comm_.at > *needs;
  }
  [[nodiscard]] bool exchanges() const {
    if (!is_left(comm_, step_.comm)) return false;
    const std::optional<std::size_t> after = step_.comm[comm_.at].after;
    return !after || compute_.at > *after;
  }

  [[nodiscard]] std::string kernels_name(double factor) const {
    if (step_.compute[compute_.at].kind == KernelClass::wait) return "host";
    return factor > 1 ? "slowed kernels" : "kernels";
  }
  /// From now on for so long.
  void note(std::vector<StreamSpan>& spans, const std::string& what, double us) const {
    const double end_us = times_.us + us;
    const bool goes_on =
        !spans.empty() && spans.back().what == what && spans.back().end_us == times_.us;
    if (goes_on) {
      spans.back().end_us = end_us;
    } else {
      spans.push_back({what, times_.us, end_us});
    }
  }

  /// To the next end of an item.
  void advance() {
    const bool computes = this->computes();
    const bool exchanges = this->exchanges();
    if (!computes && !exchanges) throw std::logic_error("both streams of a step wait");
    const double factor =
        computes && exchanges
            ? factors_.at(static_cast<std::size_t>(step_.compute[compute_.at].kind))
            : 1;
    const double compute_us = compute_.left_us * factor;
    const bool ends_compute = computes && (!exchanges || compute_us <= comm_.left_us);
    const bool ends_comm = exchanges && (!computes || comm_.left_us <= compute_us);
    const double us = ends_compute ? compute_us : comm_.left_us;
    if (computes) note(times_.kernel_spans, kernels_name(factor), us);
    if (exchanges) note(times_.collective_spans, step_.comm[comm_.at].name, us);
    times_.us += us;
    times_.slowed_us += us * (1 - 1 / factor);
    if (!computes) add_time(times_.exposed, step_.comm[comm_.at].name, us);
    if (computes) compute_.left_us -= us / factor;
    if (exchanges) comm_.left_us -= us;
    if (ends_compute) {
      ++compute_.at;
      load(compute_, step_.compute);
    }
    if (ends_comm) {
      ++comm_.at;
      load(comm_, step_.comm);
    }
  }

  const StepStreams& step_;
  std::array<double, kKernelClasses> factors_;
  Head compute_;
  Head comm_;
  StreamTimes times_;
};

}  // namespace

StepStreams step_streams(const StepParts& parts, const ParallelConfig& parallel,
                         std::int64_t gpus) {
  return StreamBuilder(parts, parallel, gpus).build();
}

void add_time(NamedTimes& times, const std::string& name, double us) {
  const auto known =
      std::ranges::find_if(times, [&](const auto& one) { return one.first == name; });
  if (known != times.end()) {
    known->second += us;
  } else {
    times.emplace_back(name, us);
  }
}

StreamTimes run_streams(const StepStreams& step, const BesideCollectives& beside) {
  return StreamPlayer(step, beside).play();
}

}  // namespace stcsim
