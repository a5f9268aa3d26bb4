#include <algorithm>
#include <optional>
#include <vector>

#include "models/collectives/collective.hpp"
#include "sim/parallel/step_parts.hpp"

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

}  // namespace

StepStreams step_streams(const StepParts& parts, const ParallelConfig& parallel,
                         std::int64_t gpus) {
  return StreamBuilder(parts, parallel, gpus).build();
}

}  // namespace stcsim
