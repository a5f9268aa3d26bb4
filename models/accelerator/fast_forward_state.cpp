#include <algorithm>

#include <boost/container_hash/hash.hpp>

#include "models/accelerator/fast_forward.hpp"
#include "models/accelerator/sm_state.hpp"

namespace stcsim {

StateOrigin FastForward::origin() const {
  StateOrigin origin;
  origin.now = modules_.clock.now();
  origin.next_cta = modules_.cta_scheduler->core.dispatched();
  origin.next_fill = modules_.l2_cache->core.fills_requested();
  origin.slots_per_sm = kernel_.ctas_per_sm;
  origin.groups_per_step = kernel_.warp.groups_per_step;
  for (std::int64_t sm = 0; sm < modules_.config.num_sms; ++sm) {
    const std::int64_t simulated = modules_.router->groups().representative(sm);
    const CopyEngine& engine = modules_.sms[static_cast<std::size_t>(simulated)].copy_engine->core;
    for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
      origin.slot_steps.push_back(engine.next_step(slot));
    }
  }
  return origin;
}

FastForward::Snapshot FastForward::take_snapshot(Kind kind) {
  const std::vector<std::int64_t> simulated = modules_.router->groups().representatives();
  for (const std::int64_t sm : simulated) {
    modules_.sms[static_cast<std::size_t>(sm)].shell->run_ahead();
  }
  Snapshot snapshot;
  snapshot.kind = kind;
  snapshot.look = looks_;
  snapshot.origin = origin();
  snapshot.first_resident = modules_.cta_scheduler->core.first_resident();
  snapshot.log_end = log_begin_ + static_cast<std::int64_t>(log_.size());
  constexpr std::size_t kMore = 256;  // fields than last time
  StateWriter writer(kind, snapshot.origin, last_fields_ + kMore);
  modules_.for_each_shared([&](auto& module) {
    if constexpr (requires { module.core.settle(snapshot.origin.now); }) {
      module.core.settle(snapshot.origin.now);
    }
    module.core.visit_state(writer);
  });
  modules_.router->visit_groups(writer);
  for (const std::int64_t sm : simulated) {
    describe_sm(modules_.sms[static_cast<std::size_t>(sm)], snapshot.origin.now, writer);
  }
  snapshot.writes = modules_.dram->core.take_backlog();
  snapshot.state = writer.take_state();
  snapshot.counters = writer.take_counters();
  last_fields_ = snapshot.state.size();
  return snapshot;
}

bool FastForward::is_familiar(Kind kind) {
  const std::int64_t given = kind == Kind::same_ctas ? anchor_sm_ : 0;
  const std::int64_t sm = modules_.router->groups().representative(given);
  SmModules& simulated = modules_.sms[static_cast<std::size_t>(sm)];
  simulated.shell->run_ahead();
  const StateOrigin now = origin();
  StateWriter writer(kind, now);
  describe_sm(simulated, now.now, writer);
  const std::vector<std::int64_t> state = writer.take_state();
  const std::size_t hash = boost::hash_range(state.begin(), state.end());
  const bool is_known = std::find(sm_states_.begin(), sm_states_.end(), hash) != sm_states_.end();
  sm_states_.push_back(hash);
  if (std::ssize(sm_states_) > kHistory) sm_states_.pop_front();
  return is_known;
}

}  // namespace stcsim
