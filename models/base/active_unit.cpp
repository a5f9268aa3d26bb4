#include "models/base/active_unit.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"

namespace stcsim {

void ActiveUnit::end_of_elaboration() {
  for (const auto& port : ports_) port->find_wires(sender());
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
    : ActiveUnit(name, kind), clock_(place.clock), groups_(place.groups) {
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

void ClocklessUnit::skip(Cycles length) {
  if (armed_) *armed_ += length;
}

void ClocklessUnit::run() {
  armed_.reset();
  if (const std::optional<Cycle> next = act(clock_.now())) wake(*next);
}

}  // namespace stcsim
