#include "models/accelerator/sm_router.hpp"

#include <algorithm>
#include <utility>

namespace stcsim {
namespace {

/// Orders CTAs given in one cycle as far as an SM can tell them apart.
bool is_kind_before(std::span<const CtaAssignment> a, std::span<const CtaAssignment> b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const CtaAssignment& x, const CtaAssignment& y) {
        return std::pair(x.slot, x.steps) < std::pair(y.slot, y.steps);
      });
}

/// Calls `visit(run)` for every run of elements that `is_before` does not tell apart.
template <class T, class Before, class Visit>
void for_each_run(std::span<T> sorted, Before is_before, Visit visit) {
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && !is_before(sorted[first], sorted[end])) ++end;
    visit(sorted.subspan(first, end - first));
    first = end;
  }
}

}  // namespace

SmRouter::SmRouter(const sc_core::sc_module_name& name, SharedState& shared,
                   const StreamingMultiprocessors& sms)
    : sc_module(name),
      shared_(shared),
      alike_(shared, sms),
      assignment_queue_(*this),
      fill_queue_(*this),
      accepted_queue_(*this) {
  assignments(assignment_queue_);
  fills(fill_queue_);
  accepted(accepted_queue_);
  SC_HAS_PROCESS(SmRouter);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
  SC_METHOD(wake);
  sensitive << call_due_;
  dont_initialize();
}

void SmRouter::end_of_elaboration() {
  const auto find = [](auto& port, auto& wires) {
    for (int sm = 0; sm < port.size(); ++sm) wires.push_back(&port[sm]->wire_from({}));
  };
  find(to_assignments, assignment_wires_);
  find(to_fills, fill_wires_);
  find(to_accepted, accepted_wires_);
}

void SmRouter::launch(bool together, std::int64_t ctas) {
  alike_.launch(together);
  assignment_queue_.waiting.clear();
  fill_queue_.waiting.clear();
  accepted_queue_.waiting.clear();
  due_.cancel();
  armed_ = false;
  is_given_up_ = false;
  shared_.ctas_left = ctas;
  forget_calls();
}

void SmRouter::request_call(Cycle at) {
  const bool is_first = calls_.empty() || at < calls_.front();
  const auto place = std::lower_bound(calls_.begin(), calls_.end(), at);
  if (place == calls_.end() || *place != at) calls_.insert(place, at);
  if (at <= shared_.clock.now()) return wake();
  if (is_first) call_due_.notify(delay_until(at));
}

void SmRouter::forget_calls() {
  calls_.clear();
  call_due_.cancel();
}

void SmRouter::call_if_due() {
  if (calls_.empty() || calls_.front() > shared_.clock.now()) return;
  calls_.erase(calls_.begin());
  if (after_cycle) after_cycle();
  if (!calls_.empty()) call_due_.notify(delay_until(calls_.front()));
}

sc_core::sc_time SmRouter::delay_until(Cycle at) const {
  return sc_time_of(at - shared_.clock.now());
}

void SmRouter::wake() {
  if (armed_) return;
  armed_ = true;
  due_.notify(sc_core::SC_ZERO_TIME);  // after all units that act in this cycle
}

void SmRouter::deliver(std::int64_t sm, Cycle at, const StageFill& fill) {
  fill_wires_[static_cast<std::size_t>(sm)]->send(at, fill);
}

void SmRouter::deliver(std::int64_t sm, Cycle at, const StoreAccepted& store) {
  accepted_wires_[static_cast<std::size_t>(sm)]->send(at, store);
}

template <class Message>
bool SmRouter::deliver_to_group(Cycle at, const Message& message) {
  const std::int64_t sm = shared_.groups.representative(shared_.sets.first(message.sms));
  if (shared_.groups.members(sm) != message.sms) return false;
  deliver(sm, at, message);
  if (is_over_limit()) sc_core::sc_pause();
  return true;
}

void SmRouter::run() {
  armed_ = false;
  ++activations_;
  for (const auto& [at, fill] : fill_queue_.waiting) {
    const std::vector<std::int64_t>& filled = alike_.isolate(fill.sms);
    for (const std::int64_t sm : filled) deliver(sm, at, fill);
    alike_.try_merge(filled);
  }
  fill_queue_.waiting.clear();
  for (const auto& [at, store] : accepted_queue_.waiting) {
    for (const std::int64_t sm : alike_.isolate(store.sms)) deliver(sm, at, store);
  }
  accepted_queue_.waiting.clear();
  if (!assignment_queue_.waiting.empty()) route_assignments();
  call_if_due();
  if (is_over_limit()) sc_core::sc_pause();
}

bool SmRouter::is_over_limit() const {
  return is_given_up_ || (last_chance_ && shared_.clock.now() > *last_chance_);
}

void SmRouter::set_limit(std::optional<Cycles> limit, Cycles least_cta_cycles) {
  limit_ = limit;
  least_cta_cycles_ = least_cta_cycles;
  last_chance_.reset();
  take_ctas(0);
}

void SmRouter::take_ctas(std::int64_t count) {
  shared_.ctas_left -= count;
  if (!limit_) return;
  const Cycles rest = least_cta_cycles_ * cycles_for(shared_.ctas_left, shared_.sets.sms()).count();
  last_chance_ = Cycle() + (*limit_ > rest ? *limit_ - rest : Cycles());
}

void SmRouter::route_assignments() {
  const Cycle at = assignment_queue_.waiting.front().at;  // the scheduler acts once in a cycle
  take_ctas(std::ssize(assignment_queue_.waiting));
  assigned_.clear();
  for (const auto& routed : assignment_queue_.waiting) assigned_.push_back(routed.message);
  assignment_queue_.waiting.clear();
  const auto comes_before = [](const CtaAssignment& a, const CtaAssignment& b) {
    return std::pair(a.sm, a.cta) < std::pair(b.sm, b.cta);
  };
  std::sort(assigned_.begin(), assigned_.end(), comes_before);
  given_.clear();
  for_each_run(
      std::span<const CtaAssignment>(assigned_),
      [](const CtaAssignment& a, const CtaAssignment& b) { return a.sm < b.sm; },
      [&](std::span<const CtaAssignment> ctas) {
        given_.push_back({shared_.groups.representative(ctas.front().sm), ctas});
      });
  const auto is_other_group = [](const Given& a, const Given& b) {
    return a.group != b.group ? a.group < b.group : is_kind_before(a.ctas, b.ctas);
  };
  std::sort(given_.begin(), given_.end(), [&](const Given& a, const Given& b) {
    if (is_other_group(a, b)) return true;
    return !is_other_group(b, a) && a.sm() < b.sm();
  });
  given_to_groups_.clear();
  for_each_run(std::span<const Given>(given_), is_other_group,
               [&](std::span<const Given> alike) { deliver_together(alike, at); });
  merge_same_kinds();
}

void SmRouter::deliver_together(std::span<const Given> alike, Cycle at) {
  members_.clear();
  for (const Given& given : alike) members_.push_back(static_cast<std::int32_t>(given.sm()));
  const std::int64_t sm = alike_.isolate(shared_.sets.find(members_)).front();
  const auto given =
      std::find_if(alike.begin(), alike.end(), [&](const Given& one) { return one.sm() == sm; });
  OutPort<CtaAssignment>& wire = *assignment_wires_[static_cast<std::size_t>(sm)];
  for (const CtaAssignment& cta : given->ctas) wire.send(at, cta);
  given_to_groups_.push_back(*given);
}

void SmRouter::merge_same_kinds() {
  const auto is_other_kind = [](const Given& a, const Given& b) {
    return is_kind_before(a.ctas, b.ctas);
  };
  std::sort(given_to_groups_.begin(), given_to_groups_.end(), [&](const Given& a, const Given& b) {
    if (is_other_kind(a, b)) return true;
    return !is_other_kind(b, a) && a.group < b.group;
  });
  for_each_run(std::span<const Given>(given_to_groups_), is_other_kind,
               [&](std::span<const Given> same) {
                 same_kind_.clear();
                 for (const Given& given : same) same_kind_.push_back(given.sm());
                 (void)alike_.merge_equal(same_kind_);
               });
}

}  // namespace stcsim
