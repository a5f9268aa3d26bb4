#include "models/accelerator/sm_shell.hpp"

#include <algorithm>

namespace stcsim {

SmShell::SmShell(const sc_core::sc_module_name& name, const LaunchClock& clock, Cycles lookahead)
    : sc_module(name), clock_(clock), lookahead_(lookahead) {
  SC_HAS_PROCESS(SmShell);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
}

void SmShell::connect(const StreamingMultiprocessor& control, const Epilogue& epilogue,
                      const std::int64_t& ctas_left) {
  control_ = &control;
  epilogue_ = &epilogue;
  ctas_left_ = &ctas_left;
}

void SmShell::launch(bool run_ahead) {
  disarm();
  runs_ahead_ = run_ahead;
  agenda.set_done_until(Cycle());
}

void SmShell::run() {
  armed_.reset();
  run_ahead();
}

bool SmShell::may_be_answered() const {
  return !runs_ahead_ || epilogue_->has_stores_on_bus() ||
         (*ctas_left_ > 0 && control_->has_free_slot());
}

void SmShell::run_ahead() {
  const Cycle now = clock_.now();
  const Cycle known = now + lookahead_;
  Cycle next = agenda.next();
  while (next <= now || (next <= known && !may_be_answered())) {
    agenda.run(next);
    next = agenda.next();
  }
  agenda.set_done_until(std::max(agenda.done_until(), may_be_answered() ? now : known));
  arm();
}

void SmShell::arm() {
  const Cycle next = agenda.next();
  if (next == kNever || (armed_ && *armed_ <= next)) return;
  armed_ = next;
  const auto wait = static_cast<sc_dt::uint64>((next - clock_.now()).count());
  due_.notify(sc_core::sc_time::from_value(wait));
}

void SmShell::disarm() {
  due_.cancel();
  armed_.reset();
}

void SmShell::copy_schedule(const SmShell& other) {
  disarm();
  agenda.set_done_until(other.agenda.done_until());
  arm();
}

void SmShell::skip(Cycles length) {
  agenda.skip(length);
  if (armed_) *armed_ += length;
}

}  // namespace stcsim
