#include "models/base/inner_module.hpp"

#include <algorithm>

namespace stcsim {

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

}  // namespace stcsim
