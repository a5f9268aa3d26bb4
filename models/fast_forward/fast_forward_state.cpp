#include <algorithm>

#include <boost/container_hash/hash.hpp>

#include "models/fast_forward/fast_forward.hpp"

namespace stcsim {

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
  snapshot.writes = machine_.dram->core.take_backlog();
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
