#include "models/accelerator/sm_state.hpp"

#include "models/accelerator/modules.hpp"

namespace stcsim {
namespace {

/// State visitor that adds to counters and leaves the rest alone.
class CounterAdder {
 public:
  explicit CounterAdder(const std::vector<std::int64_t>& ahead) : ahead_(ahead) {}
  void time(Cycle&) {}
  void deadline(Cycle&) {}
  template <class T>
  void value(const T&) {}
  void step(std::int64_t&, std::int64_t, std::int64_t) {}
  void group(std::int64_t&, std::int64_t, std::int64_t) {}
  void counter(std::int64_t& count) { count += ahead_[next_++]; }
  void counter(Cycles& count) { count = Cycles(count.count() + ahead_[next_++]); }

 private:
  const std::vector<std::int64_t>& ahead_;
  std::size_t next_ = 0;
};

}  // namespace

void describe_sm(SmModules& sm, Cycle now, StateWriter& writer) {
  const Cycle done = sm.shell->agenda.done_until();
  writer.value((done - now).count());
  writer.set_now(done);
  for_each_unit(sm, [&](auto& unit) {
    if constexpr (requires { unit.core.settle(done); }) unit.core.settle(done);
    unit.core.visit_state(writer);
  });
  writer.set_now(now);
}

void describe_sm(SmModules& sm, Cycle now, DescribedState& into) {
  StateOrigin origin;
  origin.now = now;
  StateWriter writer(StateWriter::Kind::same_steps, origin, into);
  sm.shell->run_ahead();
  describe_sm(sm, now, writer);
  writer.finish();
}

void copy_sm(SmModules& to, const SmModules& from) {
  to.control->copy_state(*from.control);
  to.copy_engine->copy_state(*from.copy_engine);
  to.shared_memory->copy_state(*from.shared_memory);
  to.epilogue->copy_state(*from.epilogue);
  for (std::size_t at = 0; at < to.sub_cores.size(); ++at) {
    to.sub_cores[at]->copy_state(*from.sub_cores[at]);
  }
  to.shell->copy_schedule(*from.shell);
}

void add_to_counters(SmModules& sm, const std::vector<std::int64_t>& ahead) {
  CounterAdder adder(ahead);
  for_each_unit(sm, [&](auto& unit) { unit.core.visit_state(adder); });
}

}  // namespace stcsim
