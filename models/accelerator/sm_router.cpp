#include "models/accelerator/sm_router.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "models/accelerator/modules.hpp"
#include "models/accelerator/sm_state.hpp"

namespace stcsim {
namespace {

/// After failures to find equal groups, at most so many chances are left out.
constexpr std::int64_t kLongestSkip = 31;

/// A group's CTAs of this cycle, as far as the SM can tell them apart.
std::vector<std::int64_t> kind_of(const std::vector<CtaAssignment>& ctas) {
  std::vector<std::int64_t> kind;
  for (const CtaAssignment& cta : ctas) {
    kind.insert(kind.end(), {cta.slot, cta.steps});
  }
  return kind;
}

}  // namespace

SmRouter::SmRouter(const sc_core::sc_module_name& name, const LaunchClock& clock,
                   std::vector<SmModules>& sms, SmSets& sets)
    : sc_module(name),
      clock_(clock),
      sms_(sms),
      sets_(sets),
      groups_(sets),
      assignments_(*this),
      fills_(*this),
      accepted_(*this) {
  SC_HAS_PROCESS(SmRouter);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
  SC_METHOD(wake);
  sensitive << call_due_;
  dont_initialize();
}

void SmRouter::launch(bool together, std::int64_t ctas) {
  together_ = together;
  groups_.reset(together);
  ahead_.clear();
  merges_to_skip_ = skip_after_failure_ = 0;
  assignments_.waiting.clear();
  fills_.waiting.clear();
  accepted_.waiting.clear();
  due_.cancel();
  armed_ = false;
  ctas_left_ = ctas;
  forget_calls();
}

void SmRouter::request_call(Cycle at) {
  const bool is_first = calls_.empty() || at < *calls_.begin();
  calls_.insert(at);
  if (at <= clock_.now()) return wake();
  if (is_first) call_due_.notify(delay_until(at));
}

void SmRouter::forget_calls() {
  calls_.clear();
  call_due_.cancel();
}

void SmRouter::call_if_due() {
  if (calls_.empty() || *calls_.begin() > clock_.now()) return;
  calls_.erase(calls_.begin());
  if (after_cycle) after_cycle();
  if (!calls_.empty()) call_due_.notify(delay_until(*calls_.begin()));
}

sc_core::sc_time SmRouter::delay_until(Cycle at) const {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>((at - clock_.now()).count()));
}

void SmRouter::wake() {
  if (armed_) return;
  armed_ = true;
  due_.notify(sc_core::SC_ZERO_TIME);  // after all units that act in this cycle
}

void SmRouter::deliver(SmModules& to, Cycle at, const StageFill& fill) {
  to.deliver(to.shared_memory->core.fills, *to.shared_memory, at, fill);
}

void SmRouter::deliver(SmModules& to, Cycle at, const StoreAccepted& store) {
  to.deliver(to.epilogue->core.accepted, *to.epilogue, at, store);
}

template <class Message>
bool SmRouter::deliver_to_group(Cycle at, const Message& message) {
  const std::int64_t sm = groups_.representative(sets_.first(message.sms));
  if (groups_.members(sm) != message.sms) return false;
  deliver(sms_[static_cast<std::size_t>(sm)], at, message);
  if (is_over_limit()) sc_core::sc_pause();
  return true;
}

void SmRouter::run() {
  armed_ = false;
  ++activations_;
  for (const auto& [at, fill] : fills_.waiting) {
    const std::vector<std::int64_t> filled = isolate(fill.sms);
    for (const std::int64_t sm : filled) {
      deliver(sms_[static_cast<std::size_t>(sm)], at, fill);
    }
    if (together_ && filled.size() > 1) try_merge(filled);
  }
  fills_.waiting.clear();
  for (const auto& [at, store] : accepted_.waiting) {
    for (const std::int64_t sm : isolate(store.sms)) {
      deliver(sms_[static_cast<std::size_t>(sm)], at, store);
    }
  }
  accepted_.waiting.clear();
  if (!assignments_.waiting.empty()) route_assignments();
  call_if_due();
  if (is_over_limit()) sc_core::sc_pause();
}

bool SmRouter::is_over_limit() const {
  return last_chance_ && clock_.now() > *last_chance_;
}

void SmRouter::set_limit(std::optional<Cycles> limit, Cycles least_cta_cycles) {
  limit_ = limit;
  least_cta_cycles_ = least_cta_cycles;
  last_chance_.reset();
  take_ctas(0);
}

void SmRouter::take_ctas(std::int64_t count) {
  ctas_left_ -= count;
  if (!limit_) return;
  const Cycles rest = least_cta_cycles_ * cycles_for(ctas_left_, sets_.sms()).count();
  last_chance_ = Cycle() + (*limit_ > rest ? *limit_ - rest : Cycles());
}

void SmRouter::route_assignments() {
  std::map<std::int64_t, std::vector<CtaAssignment>> by_sm;
  for (const auto& [at, cta] : assignments_.waiting) by_sm[cta.sm].push_back(cta);
  const Cycle at = assignments_.waiting.front().at;  // the scheduler acts once in a cycle
  take_ctas(std::ssize(assignments_.waiting));
  assignments_.waiting.clear();
  std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, SmNumbers> alike;
  for (const auto& [sm, ctas] : by_sm) {
    alike[{groups_.representative(sm), kind_of(ctas)}].push_back(static_cast<std::int32_t>(sm));
  }
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> by_kind;
  for (const auto& [group, members] : alike) {
    const std::int64_t sm = isolate(sets_.find(members)).front();
    by_kind[group.second].push_back(sm);
    SmModules& to = sms_[static_cast<std::size_t>(sm)];
    for (const CtaAssignment& cta : by_sm[sm]) {
      to.deliver(to.control->core.assignments, *to.control, at, cta);
    }
  }
  if (!together_) return;
  for (const auto& [kind, representatives] : by_kind) (void)merge_equal(representatives);
}

std::vector<std::int64_t> SmRouter::isolate(SmSet sms) {
  const std::int64_t first = groups_.representative(sets_.first(sms));
  if (groups_.members(first) == sms) return {first};
  std::vector<std::int64_t> isolated;
  SmNumbers rest = sets_.members(sms);
  while (!rest.empty()) {
    const std::int64_t representative = groups_.representative(rest.front());
    const SmNumbers members = sets_.members(groups_.members(representative));
    SmNumbers part;
    SmNumbers left;
    std::set_intersection(members.begin(), members.end(), rest.begin(), rest.end(),
                          std::back_inserter(part));
    std::set_difference(rest.begin(), rest.end(), members.begin(), members.end(),
                        std::back_inserter(left));
    rest = std::move(left);
    if (part.size() < members.size()) {
      const std::int64_t other = groups_.split(representative, part);
      copy_sm(sms_[static_cast<std::size_t>(other)],
              sms_[static_cast<std::size_t>(representative)]);
      give_own_counters(other);
    }
    isolated.push_back(groups_.representative(part.front()));
  }
  return isolated;
}

void SmRouter::give_own_counters(std::int64_t representative) {
  const auto own = ahead_.find(static_cast<std::int32_t>(representative));
  if (own == ahead_.end()) return;
  const Counters ahead = own->second;
  add_to_counters(sms_[static_cast<std::size_t>(representative)], ahead);
  for (const std::int32_t sm : sets_.members(groups_.members(representative))) {
    Counters& counters = ahead_.try_emplace(sm, Counters(ahead.size(), 0)).first->second;
    std::transform(counters.begin(), counters.end(), ahead.begin(), counters.begin(),
                   std::minus<>());
  }
}

void SmRouter::try_merge(const std::vector<std::int64_t>& representatives) {
  if (merges_to_skip_-- > 0) return;
  const bool merged = merge_equal(representatives);
  skip_after_failure_ = merged ? 0 : std::min(2 * skip_after_failure_ + 1, kLongestSkip);
  merges_to_skip_ = skip_after_failure_;
}

bool SmRouter::merge_equal(const std::vector<std::int64_t>& representatives) {
  if (representatives.size() < 2) return false;
  std::vector<std::pair<std::int64_t, SmState>> kept;
  for (const std::int64_t sm : representatives) {
    SmState state = describe_sm(sms_[static_cast<std::size_t>(sm)], clock_.now());
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const auto& other) {
      return other.second.state == state.state;
    });
    if (same == kept.end()) {
      kept.emplace_back(sm, std::move(state));
    } else {
      merge(same->first, same->second.counters, sm, state.counters);
    }
  }
  return kept.size() < representatives.size();
}

void SmRouter::merge(std::int64_t into, const Counters& into_counters, std::int64_t from,
                     const Counters& from_counters) {
  for (const std::int32_t sm : sets_.members(groups_.members(from))) {
    Counters& ahead = ahead_.try_emplace(sm, Counters(into_counters.size(), 0)).first->second;
    for (std::size_t at = 0; at < ahead.size(); ++at) {
      ahead[at] += from_counters[at] - into_counters[at];
    }
  }
  SmModules& retired = sms_[static_cast<std::size_t>(from)];
  for_each_unit(retired, [](auto& unit) { unit.disarm(); });
  retired.shell->disarm();
  groups_.merge(into, from);
}

void SmRouter::restore_counters() {
  for (std::int64_t sm = 0; sm < sets_.sms(); ++sm) {
    SmModules& own = sms_[static_cast<std::size_t>(sm)];
    if (!groups_.is_representative(sm)) {
      copy_sm(own, sms_[static_cast<std::size_t>(groups_.representative(sm))]);
    }
  }
  for (const auto& [sm, ahead] : ahead_) {
    add_to_counters(sms_[static_cast<std::size_t>(sm)], ahead);
  }
}

}  // namespace stcsim
