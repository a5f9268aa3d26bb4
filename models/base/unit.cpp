#include "models/base/unit.hpp"

#include <algorithm>

#include "common/error.hpp"
#include "models/base/unit_agenda.hpp"

namespace stcsim {

Unit::Unit(const sc_core::sc_module_name& name, const UnitKind& kind)
    : sc_module(name), kind_(kind), basename_(basename()) {
  if (auto* const parent = dynamic_cast<Unit*>(get_parent_object())) {
    parent->children_.push_back(this);
  }
}

std::vector<Unit*> sorted_children(const Unit& unit) {
  std::vector<Unit*> sorted = unit.children();
  std::sort(sorted.begin(), sorted.end(),
            [](const Unit* a, const Unit* b) { return a->basename_ < b->basename_; });
  return sorted;
}

InstructionPort* InnerModule::port_of(const Wired<PipelineStage*>& wire) const {
  for (const auto& one : wires_) {
    if (&one->wire == &wire) return &one->port;
  }
  return nullptr;
}

void InnerModule::add_wire(const char* name, Wired<PipelineStage*>& wire) {
  wires_.push_back(std::make_unique<StageWire>(name, wire));
}

void InnerModule::end_of_elaboration() {
  for (const auto& one : wires_) one->wire = &one->port->stage();
}

void StageConnector::connect_to(const Wired<PipelineStage*>& wire, const void* core) const {
  const auto target = std::find_if(units_.begin(), units_.end(),
                                   [&](const auto& unit) { return unit->stands_for(core); });
  for (const auto& unit : units_) {
    if (InstructionPort* const port = unit->port_of(wire)) port->bind(**target);
  }
}

void ActiveUnit::end_of_elaboration() {
  for (const auto& port : ports_) port->find_wires(sender());
}

void ActiveUnit::copy_state(const ActiveUnit&) {
  throw SimulationError(std::string(name()) + " is not copied");
}

UnitPort& ActiveUnit::port_of(const void* member) const {
  const auto found = std::find_if(ports_.begin(), ports_.end(),
                                  [&](const auto& port) { return port->member() == member; });
  if (found == ports_.end()) throw SimulationError(std::string(name()) + " has no such port");
  return **found;
}

ScheduledUnit::ScheduledUnit(const sc_core::sc_module_name& name, const UnitKind& kind,
                             const Place& place)
    : ActiveUnit(name, kind),
      agenda_(place.agenda),
      number_(place.agenda.add(*this)),
      sender_(place.sender) {}

ClocklessUnit::ClocklessUnit(const sc_core::sc_module_name& name, const UnitKind& kind,
                             const Place& place)
    : ActiveUnit(name, kind), clock_(place.clock), groups_(place.groups), sender_(place.sender) {
  SC_HAS_PROCESS(ClocklessUnit);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
}

void ClocklessUnit::wake(Cycle at) {
  if (armed_ && *armed_ <= at) return;
  const Cycle now = clock_.now();
  if (at <= now) throw SimulationError(std::string(name()) + ": woken without delay");
  armed_ = at;
  due_.notify(sc_time_of(at - now));
}

void ClocklessUnit::disarm() {
  due_.cancel();
  armed_.reset();
}

void ClocklessUnit::copy_plan(const ClocklessUnit& other) {
  disarm();
  if (other.armed_) wake(*other.armed_);
}

void ClocklessUnit::skip(Cycles length) {
  if (armed_) *armed_ += length;
}

void ClocklessUnit::run() {
  armed_.reset();
  ++activations_;
  if (const std::optional<Cycle> next = act(clock_.now())) wake(*next);
}

std::size_t UnitAgenda::add(Acting& unit) {
  units_.push_back(&unit);
  due_.push_back(kNever);
  return units_.size() - 1;
}

void UnitAgenda::clear(Cycle done) {
  std::fill(due_.begin(), due_.end(), kNever);
  done_until_ = done;
}

void UnitAgenda::skip(Cycles length) {
  done_until_ += length;
  for (Cycle& due : due_) {
    if (due != kNever) due += length;
  }
}

}  // namespace stcsim
