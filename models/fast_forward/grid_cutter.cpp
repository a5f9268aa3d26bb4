#include "models/fast_forward/grid_cutter.hpp"

namespace stcsim {
namespace {

/// Counting activations takes a look at every SM.
constexpr std::int64_t kStepsToAQuestion = 256;

}  // namespace

void GridCutter::start(const KernelLaunch& kernel, WaveWatcher& watcher, bool is_skipped_through) {
  watcher_ = &watcher;
  is_skipped_through_ = is_skipped_through;
  wave_ = next_ = machine_.shared.sets.sms() * kernel.ctas_per_sm;
  left_out_ = steps_read_ = 0;
  events_before_ = machine_.activations();
}

void GridCutter::step_read(std::int64_t sm, std::int64_t slot) {
  if (is_skipped_through_) fast_forward_.step_read(sm, slot);
  if (++steps_read_ % kStepsToAQuestion != 0) return;
  if (watcher_->gives_up(machine_.activations() - events_before_)) machine_.router->give_up();
}

void GridCutter::cta_dispatched(std::int64_t sm) {
  if (is_skipped_through_) fast_forward_.cta_dispatched(sm);
  const std::int64_t next_cta = machine_.cta_scheduler->core.dispatched();
  const std::int64_t given = next_cta - left_out_;
  if (given < next_) return;
  next_ = (given / wave_ + 1) * wave_;
  const std::int64_t ctas = watcher_->wave_given_out(
      {given, next_cta, machine_.shared.clock.now(), machine_.activations() - events_before_,
       machine_.l2_cache->core.hit_bytes(), machine_.dram->core.read_bytes(),
       machine_.dram->core.waiting_write_bytes()});
  if (ctas > 0) leave_out(ctas);
}

void GridCutter::leave_out(std::int64_t ctas) {
  left_out_ += ctas;
  machine_.cta_scheduler->core.leave_out(ctas);
  machine_.router->skip_ctas(ctas);
  if (is_skipped_through_) fast_forward_.forget();
}

}  // namespace stcsim
