#include "models/fast_forward/fast_forward.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>

#include <boost/container_hash/hash.hpp>

namespace stcsim {
namespace {

/// A CTA whose loads end within so many k-steps is not worth a look.
constexpr std::int64_t kFewSteps = 4;
/// After so many looks in vain the SM that gives the occasion has to look familiar.
constexpr std::int64_t kTrust = 8;
/// After so many looks in vain only every kSeldom-th chance is used.
constexpr std::int64_t kPatience = 64;
constexpr std::int64_t kSeldom = 4;
/// So many waves of CTAs are given the chance to recur,
constexpr std::int64_t kWavesOfHope = 9;
/// if more than so many are left.
constexpr std::int64_t kFewWaves = 2;

}  // namespace

void FastForward::start(const KernelLaunch& kernel) {
  kernel_ = kernel;
  replay_.launch(kernel);
  sizes_.launch(kernel);
  forget();
  machine_.l2_cache->core.log = nullptr;
  anchor_sm_ = -1;
  looks_ = looks_at_waves_ = looks_skipped_ = 0;
  machine_.router->after_cycle = [this] { look(); };
}

void FastForward::stop() {
  machine_.l2_cache->core.log = nullptr;
  machine_.router->after_cycle = nullptr;
}

std::int64_t FastForward::steps_left(std::int64_t sm, std::int64_t slot) const {
  return simulated_for(sm).copy_engine->core.steps_left(slot);
}

StreamingMultiprocessor& FastForward::simulated_for(std::int64_t sm) const {
  return *machine_.sms[static_cast<std::size_t>(machine_.shared.groups.representative(sm))];
}

void FastForward::step_read(std::int64_t sm, std::int64_t slot) {
  const bool anchored = anchor_sm_ >= 0 && steps_left(anchor_sm_, anchor_slot_) > 0;
  if (!anchored) {
    anchor_sm_ = sm;
    anchor_slot_ = slot;
  }
  const bool is_anchor = sm == machine_.shared.groups.representative(anchor_sm_);
  if (!is_anchor || slot != anchor_slot_ || steps_left(sm, slot) < kFewSteps) return;
  request(Kind::same_ctas, machine_.sms[static_cast<std::size_t>(sm)]->agenda.done_until());
}

void FastForward::cta_dispatched(std::int64_t sm) {
  if (sm == 0) request(Kind::same_steps, machine_.shared.clock.now());
}

void FastForward::request(Kind kind, Cycle at) {
  if (looks_in_vain_ > kPatience && ++looks_skipped_ % kSeldom != 0) return;
  const std::pair planned(at, kind);
  if (std::find(planned_.begin(), planned_.end(), planned) == planned_.end()) {
    planned_.push_back(planned);
  }
  machine_.router->request_call(at);
}

void FastForward::look() {
  const Cycle now = machine_.shared.clock.now();
  for (const Kind kind : {Kind::same_steps, Kind::same_ctas}) {
    if (std::erase(planned_, std::pair(now, kind)) > 0) look_back(kind);
  }
}

void FastForward::look_back(Kind kind) {
  ++looks_;
  if (kind == Kind::same_steps) ++looks_at_waves_;
  if (looks_in_vain_ > kTrust && !is_familiar(kind)) return drop_old();
  Snapshot& now = history_.push_back();
  describe(kind, now);
  std::size_t at = history_.size() - 1;
  const auto is_same = [&](const Snapshot& before) {
    return before.kind == kind && before.described.state == now.described.state;
  };
  while (at > 0 && !is_same(history_[at - 1])) --at;
  if (at > 0 && try_skip(at - 1)) return forget();
  ++looks_in_vain_;
  machine_.l2_cache->core.log = &log_;
  drop_old();
}

void FastForward::forget() {
  history_.clear();
  sm_states_.clear();
  planned_.clear();
  machine_.router->forget_calls();
  log_.drop_all();
  looks_in_vain_ = 0;
}

void FastForward::drop_old() {
  while (!history_.empty() && history_.front().look + kHistory <= looks_) history_.pop_front();
  if (history_.empty()) {
    machine_.l2_cache->core.log = nullptr;
    return log_.drop_all();
  }
  log_.drop_before(history_.front().log_end);
}

Period FastForward::period_between(const Snapshot& before, const Snapshot& now) const {
  Period period;
  period.length = now.origin.now - before.origin.now;
  period.fills = now.origin.next_fill - before.origin.next_fill;
  if (now.kind == Kind::same_steps) {
    period.ctas = now.origin.next_cta - before.origin.next_cta;
  } else {
    period.steps = now.origin.step_of(anchor_sm_, anchor_slot_) -
                   before.origin.step_of(anchor_sm_, anchor_slot_);
  }
  return period;
}

std::int64_t FastForward::most_periods(const Snapshot& before, const Snapshot& now,
                                       const Period& period) const {
  if (now.kind == Kind::same_steps) {
    return period.ctas <= 0 ? 0 : periods_of_equal_ctas(before, period);
  }
  if (period.steps <= 0) return 0;
  // So many loads have to be left that neither a copy engine sees the end of its CTA nor a warp,
  // which may ask for as many groups beyond those loaded as it has fragment buffers.
  const std::int64_t buffers = kernel_.warp.fragment_buffers;
  const std::int64_t ahead =
      std::max<std::int64_t>(1, cycles_for(buffers, kernel_.warp.groups_per_step).count());
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::size_t at = 0; at < now.origin.slot_steps.size(); ++at) {
    const std::int64_t moved = now.origin.slot_steps[at] - before.origin.slot_steps[at];
    const auto slot = static_cast<std::int64_t>(at);
    const std::int64_t left = steps_left(slot / kernel_.ctas_per_sm, slot % kernel_.ctas_per_sm);
    if (left == 0 && moved == 0) continue;
    if (moved != period.steps) return 0;
    most = std::min(most, (left - ahead) / period.steps);
  }
  return std::max<std::int64_t>(most, 0);
}

std::int64_t FastForward::periods_of_equal_ctas(const Snapshot& before,
                                                const Period& period) const {
  const std::int64_t next = before.origin.next_cta + period.ctas;
  // So many CTAs are left that the scheduler sees no end of the grid. An SM takes on as many CTAs
  // as it has slots when it is given the first of them; then no more wait for a slot of the other
  // SMs than they have slots but one. So the last CTA given out before `end` is one of a full
  // number.
  const std::int64_t waiting = machine_.shared.sets.sms() * (kernel_.ctas_per_sm - 1);
  const std::int64_t unseen = kernel_.ctas() - waiting;
  const std::int64_t end =
      sizes_.first_unlike(before.first_resident, unseen - period.ctas, period.ctas) + period.ctas;
  return std::max<std::int64_t>(0, (end - next) / period.ctas);
}

std::int64_t FastForward::periods_of_backlog(std::size_t before, const Snapshot& now) const {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = kAny;
  for (std::size_t path = 0; path < now.writes.size(); ++path) {
    const std::int64_t growth = now.writes[path].bytes - history_[before].writes[path].bytes;
    if (growth == 0) continue;
    SharedPath::Backlog nearest = now.writes[path];
    for (std::size_t at = before + 1; at < history_.size(); ++at) {
      const SharedPath::Backlog& then = history_[at].writes[path];
      nearest.above_empty = std::min(nearest.above_empty, then.above_empty);
      nearest.below_full = std::min(nearest.below_full, then.below_full);
    }
    if (nearest.above_empty <= 0 || nearest.below_full <= 0) return 0;
    const std::int64_t room = growth < 0 ? nearest.above_empty : nearest.below_full;
    if (room != kAny) most = std::min(most, (room - 1) / std::abs(growth));
  }
  return most;
}

bool FastForward::is_better_left(const Snapshot& now, std::int64_t steps) const {
  const std::int64_t wave = machine_.shared.sets.sms() * kernel_.ctas_per_sm;
  const bool are_waves_left = kernel_.ctas() - now.origin.next_cta > kFewWaves * wave;
  const bool is_hoped_for = looks_at_waves_ < kWavesOfHope * kernel_.ctas_per_sm;
  return are_waves_left && is_hoped_for && 2 * steps < kernel_.k_steps / kernel_.splits;
}

bool FastForward::try_skip(std::size_t at) {
  const Snapshot& before = history_[at];
  const Snapshot& now = history_.back();
  const Period period = period_between(before, now);
  const std::int64_t most =
      std::min(most_periods(before, now, period), periods_of_backlog(at, now));
  // Stages lie in a ring: a move by k-steps has to leave every step in its stage.
  const std::int64_t block =
      now.kind == Kind::same_ctas ? kernel_.stages / std::gcd(period.steps, kernel_.stages) : 1;
  if (most < block) return false;
  if (now.kind == Kind::same_ctas && is_better_left(now, most * period.steps)) return false;
  const std::int64_t times = replay_.run(log_.since(before.log_end), period, most, block);
  if (times == 0) return false;
  advance(before, now, period, times);
  return true;
}

void FastForward::advance(const Snapshot& before, const Snapshot& now, const Period& period,
                          std::int64_t times) {
  const std::vector<std::int64_t>& counters = now.described.counters;
  growth_.resize(counters.size());
  std::transform(counters.begin(), counters.end(), before.described.counters.begin(),
                 growth_.begin(), std::minus<>());
  StateAdvancer advancer(period, times, now.origin, growth_);
  for (ClocklessUnit* const unit : machine_.shared_units()) {
    unit->move_ahead(advancer);
    unit->skip(period.length * times);
  }
  machine_.router->alike().visit_state(advancer);
  machine_.router->skip_ctas(period.ctas * times);
  for (const std::int64_t sm : machine_.shared.groups.representatives()) {
    machine_.sms[static_cast<std::size_t>(sm)]->move_ahead(advancer, period.length * times);
  }
  machine_.shared.clock.skip(period.length * times);
}

void FastForward::find_origin(StateOrigin& origin) const {
  origin.now = machine_.shared.clock.now();
  origin.next_cta = machine_.cta_scheduler->core.dispatched();
  origin.next_fill = machine_.l2_cache->core.fills_requested();
  origin.slots_per_sm = kernel_.ctas_per_sm;
  origin.groups_per_step = kernel_.warp.groups_per_step;
  origin.slot_steps.clear();
  for (std::int64_t sm = 0; sm < machine_.config.num_sms; ++sm) {
    const CopyEngine& engine = simulated_for(sm).copy_engine->core;
    for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
      origin.slot_steps.push_back(engine.next_step(slot));
    }
  }
}

void FastForward::describe(Kind kind, Snapshot& snapshot) {
  const std::vector<std::int64_t>& simulated = machine_.shared.groups.representatives();
  for (const std::int64_t sm : simulated) machine_.sms[static_cast<std::size_t>(sm)]->run_ahead();
  snapshot.kind = kind;
  snapshot.look = looks_;
  find_origin(snapshot.origin);
  snapshot.first_resident = machine_.cta_scheduler->core.first_resident();
  snapshot.log_end = log_.end();
  StateWriter writer(kind, snapshot.origin, snapshot.described);
  for (ClocklessUnit* const unit : machine_.shared_units()) {
    unit->describe(writer, snapshot.origin.now);
  }
  machine_.router->alike().visit_state(writer);
  for (const std::int64_t sm : simulated) {
    machine_.sms[static_cast<std::size_t>(sm)]->describe(writer);
  }
  snapshot.writes = {machine_.l2_cache->core.read_path().take_backlog(),
                     machine_.dram->core.path().take_backlog()};
  writer.finish();
}

bool FastForward::is_familiar(Kind kind) {
  const std::int64_t given = kind == Kind::same_ctas ? anchor_sm_ : 0;
  StreamingMultiprocessor& simulated = simulated_for(given);
  simulated.run_ahead();
  find_origin(sm_origin_);
  StateWriter writer(kind, sm_origin_, sm_described_);
  simulated.describe(writer);
  writer.finish();
  const std::vector<std::int64_t>& state = sm_described_.state;
  const std::size_t hash = boost::hash_range(state.begin(), state.end());
  bool is_known = false;
  for (std::size_t at = 0; at < sm_states_.size(); ++at) is_known |= sm_states_[at] == hash;
  sm_states_.push_back() = hash;
  if (sm_states_.size() > static_cast<std::size_t>(kHistory)) sm_states_.pop_front();
  return is_known;
}

}  // namespace stcsim
