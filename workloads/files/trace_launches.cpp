#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "workloads/files/trace_products.hpp"

namespace stcsim {
namespace {

bool has_one_of(std::string_view text, const auto& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// What prepares operands or memory of the main kernel behind it.
bool is_preparing(std::string_view name) {
  constexpr std::array<std::string_view, 6> kParts{"init_device_workspace",
                                                   "AddPadding",
                                                   "convertTensor",
                                                   "nchwToNhwc",
                                                   "nhwcToNchw",
                                                   "precompute"};
  return has_one_of(name, kParts);
}

/// What adds up the parts that the main kernel before it left.
bool is_summing(std::string_view name) {
  constexpr std::array<std::string_view, 3> kParts{"splitKreduce", "split_k_kernel", "reduce"};
  return has_one_of(name, kParts);
}

/// Tells the kernels of one backward operator of a convolution apart.
class GradientKernels {
 public:
  explicit GradientKernels(const TraceEvents& events) : events_(events) {}

  void take(TraceLaunch& launch) {
    const std::string& name = events_.kernels[launch.kernel].name;
    if (is_preparing(name)) return waiting_.push_back(&launch);
    if (!is_summing(name)) {
      const bool is_named = has_one_of(name, std::array<std::string_view, 2>{"wgrad", "dgrad"});
      is_weight_ = launch.is_weight ||
                   (is_named ? name.find("wgrad") != std::string::npos : is_weight_ || had_main_);
      had_main_ = true;
    }
    for (TraceLaunch* const one : waiting_) one->is_weight = is_weight_;
    waiting_.clear();
    launch.is_weight = is_weight_;
  }

  /// What prepares nothing more belongs to the last gradient: its layout is changed back.
  void end() {
    for (TraceLaunch* const one : waiting_) one->is_weight = is_weight_;
  }

 private:
  const TraceEvents& events_;
  std::vector<TraceLaunch*> waiting_;
  bool is_weight_ = false;
  bool had_main_ = false;
};

}  // namespace

TraceLaunches::TraceLaunches(const TraceEvents& events) : events_(events) {
  for (std::size_t at = 0; at < events.ops.size(); ++at) {
    if (events.ops[at].id >= 0) by_id_.emplace(events.ops[at].id, static_cast<int>(at));
  }
}

TraceLaunch TraceLaunches::launch_of(std::size_t kernel) const {
  const TraceKernel& one = events_.kernels[kernel];
  const auto found =
      std::ranges::lower_bound(events_.calls, one.correlation, {}, &TraceCall::correlation);
  const bool is_called =
      one.correlation >= 0 && found != events_.calls.end() && found->correlation == one.correlation;
  const int op = operator_of(one, is_called ? &*found : nullptr);
  const double known = op < 0 ? one.start : events_.ops[static_cast<std::size_t>(op)].start;
  return {.kernel = kernel, .op = op, .time = is_called ? found->start : known};
}

int TraceLaunches::operator_of(const TraceKernel& kernel, const TraceCall* call) const {
  const int around = call == nullptr ? -1 : innermost(call->thread, call->start);
  if (around >= 0) return around;
  if (kernel.id != kernel.correlation && named(kernel.id) >= 0) return named(kernel.id);
  return call != nullptr && call->id != kernel.correlation ? named(call->id) : -1;
}

int TraceLaunches::innermost(std::int64_t thread, double time) const {
  const auto after =
      std::ranges::upper_bound(events_.ops, std::pair(thread, time), {},
                               [](const TraceOp& op) { return std::pair(op.thread, op.start); });
  if (after == events_.ops.begin() || std::prev(after)->thread != thread) return -1;
  auto at = static_cast<int>(after - events_.ops.begin()) - 1;
  const auto op_at = [&](int op) -> const TraceOp& {
    return events_.ops[static_cast<std::size_t>(op)];
  };
  while (at >= 0 && op_at(at).end() < time) at = op_at(at).parent;
  return at;
}

int TraceLaunches::named(std::int64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? -1 : found->second;
}

void add_up_products(const TraceEvents& events, TraceStep& step) {
  std::vector<GradientKernels> gradients(step.products.size(), GradientKernels(events));
  const auto product_of = [&](const TraceLaunch& launch) {
    return static_cast<std::size_t>(launch.product);
  };
  for (TraceLaunch& launch : step.launches) {
    const bool is_kernel = events.kernels[launch.kernel].what == TraceKernel::What::kernel;
    if (is_kernel && launch.product >= 0) gradients[product_of(launch)].take(launch);
  }
  for (GradientKernels& one : gradients) one.end();
  double covered_until = 0;
  for (TraceLaunch& launch : step.launches) {
    const TraceKernel& kernel = events.kernels[launch.kernel];
    const double time = kernel.end() - std::clamp(covered_until, kernel.start, kernel.end());
    covered_until = std::max(covered_until, kernel.end());
    if (launch.product < 0) continue;
    TraceProduct& product = step.products[product_of(launch)];
    if (!product.has_dgrad || !product.has_wgrad) launch.is_weight = product.has_wgrad;
    if (kernel.what != TraceKernel::What::kernel) continue;
    (launch.is_weight ? product.wgrad_time : product.time) += time;
  }
}

}  // namespace stcsim
