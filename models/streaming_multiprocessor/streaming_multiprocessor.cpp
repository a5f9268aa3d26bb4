#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

#include <algorithm>
#include <random>
#include <string>

namespace stcsim {
namespace {

constexpr UnitKind kSm{"sm", "streaming multiprocessor: runs CTAs, several at a time"};

}  // namespace

StreamingMultiprocessor::StreamingMultiprocessor(const sc_core::sc_module_name& name,
                                                 const SharedState& shared,
                                                 const StreamingMultiprocessorConfig& config,
                                                 const Place& place)
    : Unit(name, kSm), shared_(shared), lookahead_(place.hop_cycles) {
  SC_HAS_PROCESS(StreamingMultiprocessor);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
  std::vector<std::function<void()>> steps;
  plan_units(config, place, steps);
  if (place.construction_seed != 0) {
    std::shuffle(steps.begin(), steps.end(), std::mt19937_64(place.construction_seed));
  }
  for (const auto& step : steps) step();
  connect_units();
  for (const auto& sub_core : sub_cores) connect_sub_core(*sub_core);
  for (const auto& sub_core : staged_sub_cores) connect_sub_core(*sub_core);
  for (Unit* const unit : sorted_children(*this)) {
    units_.push_back(&dynamic_cast<ActiveUnit&>(*unit));
  }
}

void StreamingMultiprocessor::plan_units(const StreamingMultiprocessorConfig& config,
                                         const Place& place,
                                         std::vector<std::function<void()>>& steps) {
  const std::int64_t sm = place.number;
  const ScheduledUnit::Place here{agenda, {sm, 0}};
  steps.emplace_back([this, here, sm, &place] {
    cta_slots = std::make_unique<Scheduled<CtaSlots>>("cta_slots", here, sm, place.cta_setup);
  });
  steps.emplace_back([this, here, sm, &config, &place] {
    copy_engine = std::make_unique<Scheduled<CopyEngine>>("copy_engine", here, config.copy_engine,
                                                          sm, place.hop_cycles);
  });
  steps.emplace_back([this, here, sm, &config] {
    shared_memory =
        std::make_unique<Scheduled<SharedMemory>>("shared_memory", here, config.shared_memory, sm);
  });
  steps.emplace_back([this, here, sm, &config] {
    epilogue = std::make_unique<Scheduled<Epilogue>>("epilogue", here, config.epilogue,
                                                     config.shared_memory, sm);
  });
  const auto count = static_cast<std::size_t>(config.sub_cores);
  config.passes_messages() ? staged_sub_cores.resize(count) : sub_cores.resize(count);
  for (std::int64_t index = 0; index < config.sub_cores; ++index) {
    steps.emplace_back([this, sm, index, &config, &place] {
      const std::string name = "sub_core" + std::to_string(index);
      const auto at = static_cast<std::size_t>(index);
      if (config.passes_messages()) {
        staged_sub_cores[at] = make_staged(name.c_str(), config, place, index);
      } else {
        sub_cores[at] = std::make_unique<Scheduled<SubCore>>(
            name.c_str(), ScheduledUnit::Place{agenda, {sm, index}}, config, sm, index);
      }
    });
  }
}

std::unique_ptr<Processed<SubCore>> StreamingMultiprocessor::make_staged(
    const char* name, const StreamingMultiprocessorConfig& config, const Place& place,
    std::int64_t index) {
  const ClocklessUnit::Place here{shared_.clock, shared_.groups, {place.number, index}};
  return std::make_unique<Processed<SubCore>>(
      name, here, [this] { arm(); }, config, place.number, index);
}

void StreamingMultiprocessor::connect_units() {
  assignments(assignments_in_);
  fills(fills_in_);
  accepted(accepted_in_);
  assignments_in_.lead_to(cta_slots->in(&CtaSlots::assignments));
  fills_in_.lead_to(shared_memory->in(&SharedMemory::fills));
  accepted_in_.lead_to(epilogue->in(&Epilogue::accepted));
  connect(cta_slots->out(&CtaSlots::ctas_done), ctas_done);
  connect(copy_engine->out(&CopyEngine::loads), loads);
  connect(epilogue->out(&Epilogue::stores), stores);

  connect(cta_slots->out(&CtaSlots::starts), copy_engine->in(&CopyEngine::starts));
  connect(cta_slots->out(&CtaSlots::starts), shared_memory->in(&SharedMemory::starts));
  connect(cta_slots->out(&CtaSlots::epilogue), epilogue->in(&Epilogue::starts));
  connect(shared_memory->out(&SharedMemory::freed), copy_engine->in(&CopyEngine::freed));
  connect(shared_memory->out(&SharedMemory::staged), epilogue->in(&Epilogue::staged));
  connect(epilogue->out(&Epilogue::staging), shared_memory->in(&SharedMemory::staging));
  connect(epilogue->out(&Epilogue::accumulators_free), cta_slots->in(&CtaSlots::accumulators_free));
  connect(epilogue->out(&Epilogue::done), cta_slots->in(&CtaSlots::epilogues_done));
}

template <class SubCoreUnit>
void StreamingMultiprocessor::connect_sub_core(SubCoreUnit& sub_core) {
  const WarpScheduler& scheduler = sub_core.core.warp_scheduler;
  connect(cta_slots->out(&CtaSlots::warp_starts), sub_core.in(scheduler.starts));
  connect(sub_core.out(scheduler.fetches), shared_memory->in(&SharedMemory::fetches));
  connect(sub_core.out(scheduler.warps_done), cta_slots->in(&CtaSlots::warps_done));
  connect(shared_memory->out(&SharedMemory::fragments), sub_core.in(scheduler.fragments));
  connect(shared_memory->out(&SharedMemory::barriers), sub_core.in(scheduler.barriers));
}

std::int64_t StreamingMultiprocessor::activations() const {
  std::int64_t sum = agenda.activations();
  for (const auto& sub_core : staged_sub_cores) sum += sub_core->activations();
  return sum;
}

void StreamingMultiprocessor::prepare(bool run_ahead) {
  cancel();
  for (const auto& sub_core : staged_sub_cores) sub_core->disarm();
  runs_ahead_ = run_ahead && staged_sub_cores.empty();
  agenda.clear(Cycle());
}

void StreamingMultiprocessor::run() {
  armed_.reset();
  run_ahead();
}

bool StreamingMultiprocessor::may_be_answered() const {
  return !runs_ahead_ || epilogue->core.has_stores_on_bus() ||
         (shared_.ctas_left > 0 && cta_slots->core.has_free_slot());
}

void StreamingMultiprocessor::run_ahead() {
  const Cycle now = shared_.clock.now();
  const Cycle known = now + lookahead_;
  Cycle next = agenda.next();
  while (next <= now || (next <= known && !may_be_answered())) {
    agenda.run(next);
    next = agenda.next();
  }
  agenda.set_done_until(std::max(agenda.done_until(), may_be_answered() ? now : known));
  arm();
}

void StreamingMultiprocessor::arm() {
  const Cycle next = agenda.next();
  if (next == kNever || (armed_ && *armed_ <= next)) return;
  armed_ = next;
  due_.notify(sc_time_of(next - shared_.clock.now()));
}

void StreamingMultiprocessor::disarm() {
  agenda.clear(agenda.done_until());
  for (const auto& sub_core : staged_sub_cores) sub_core->disarm();
  cancel();
}

void StreamingMultiprocessor::cancel() {
  due_.cancel();
  armed_.reset();
}

void StreamingMultiprocessor::describe(StateWriter& writer) {
  const Cycle now = shared_.clock.now();
  const Cycle done = agenda.done_until();
  writer.value((done - now).count());
  writer.set_now(done);
  for (ActiveUnit* const unit : units_) unit->describe(writer, done);
  writer.set_now(now);
}

void StreamingMultiprocessor::describe(DescribedState& into) {
  StateOrigin origin;
  origin.now = shared_.clock.now();
  StateWriter writer(StateWriter::Kind::same_steps, origin, into);
  run_ahead();
  describe(writer);
  writer.finish();
}

void StreamingMultiprocessor::copy_state(const StreamingMultiprocessor& other) {
  for (std::size_t at = 0; at < units_.size(); ++at) units_[at]->copy_state(*other.units_[at]);
  cancel();
  agenda.set_done_until(other.agenda.done_until());
  arm();
}

void StreamingMultiprocessor::move_ahead(StateAdvancer& advancer, Cycles length) {
  for (ActiveUnit* const unit : units_) unit->move_ahead(advancer);
  agenda.skip(length);
  for (const auto& sub_core : staged_sub_cores) sub_core->skip(length);
  if (armed_) *armed_ += length;
}

void StreamingMultiprocessor::add_to_counters(const std::vector<std::int64_t>& more) {
  CounterAdder adder(more);
  for (ActiveUnit* const unit : units_) unit->add_to_counters(adder);
}

}  // namespace stcsim
