#include "workloads/files/trace_launches.hpp"

#include <algorithm>
#include <utility>

namespace stcsim {

TraceLaunches::TraceLaunches(const TraceEvents& events) : events_(events) {
  for (std::size_t at = 0; at < events.ops.size(); ++at) {
    if (events.ops[at].id >= 0) by_id_.emplace(events.ops[at].id, static_cast<int>(at));
  }
}

int TraceLaunches::operator_of(const TraceKernel& kernel) const {
  const auto call =
      std::ranges::lower_bound(events_.calls, kernel.correlation, {}, &TraceCall::correlation);
  const bool is_called = kernel.correlation >= 0 && call != events_.calls.end() &&
                         call->correlation == kernel.correlation;
  const int around = is_called ? innermost(call->thread, call->start) : -1;
  if (around >= 0) return around;
  if (kernel.id != kernel.correlation && named(kernel.id) >= 0) return named(kernel.id);
  return is_called && call->id != kernel.correlation ? named(call->id) : -1;
}

int TraceLaunches::innermost(std::int64_t thread, double time) const {
  const auto after =
      std::ranges::upper_bound(events_.ops, std::pair(thread, time), {},
                               [](const TraceOp& op) { return std::pair(op.thread, op.start); });
  if (after == events_.ops.begin()) return -1;
  auto at = static_cast<int>(after - events_.ops.begin()) - 1;
  if (events_.ops[static_cast<std::size_t>(at)].thread != thread) return -1;
  const auto ends_before = [&](int op) {
    return events_.ops[static_cast<std::size_t>(op)].end() < time;
  };
  while (at >= 0 && ends_before(at)) at = events_.ops[static_cast<std::size_t>(at)].parent;
  return at;
}

int TraceLaunches::named(std::int64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? -1 : found->second;
}

}  // namespace stcsim
