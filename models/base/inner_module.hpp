#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/base/pipeline_stage.hpp"
#include "models/base/unit.hpp"
#include "models/base/wired.hpp"

namespace stcsim {

/// What the port of a pipeline stage is bound to: the unit that takes its instructions next. It is
/// asked once, after elaboration.
class InstructionInterface : public virtual sc_core::sc_interface {
 public:
  virtual PipelineStage& stage() = 0;
};
using InstructionPort = sc_core::sc_port<InstructionInterface, 1, sc_core::SC_ONE_OR_MORE_BOUND>;

/// A box inside a unit that acts, without a time of its own. It may take instructions, and pass
/// them on through ports.
class InnerModule : public Unit, public InstructionInterface {
 public:
  /// @param core  what it stands for
  InnerModule(const sc_core::sc_module_name& name, const UnitKind& kind, const void* core)
      : Unit(name, kind), core_(core) {}

  [[nodiscard]] bool stands_for(const void* core) const { return core == core_; }
  /// Only of units that take instructions.
  PipelineStage& stage() final { return *stage_; }
  /// The port of that wire; null if it is another unit's.
  [[nodiscard]] InstructionPort* port_of(const Wired<PipelineStage*>& wire) const;
  void add_wire(const char* name, Wired<PipelineStage*>& wire);

 protected:
  void accept_instructions(PipelineStage& stage) { stage_ = &stage; }
  void end_of_elaboration() override;

 private:
  struct StageWire {
    StageWire(const char* name, Wired<PipelineStage*>& of) : port(name), wire(of) {}
    InstructionPort port;
    Wired<PipelineStage*>& wire;
  };

  const void* core_;
  PipelineStage* stage_ = nullptr;
  std::vector<std::unique_ptr<StageWire>> wires_;
};

/// Makes the ports of the wires that a core names.
struct StageWireMaker {
  InnerModule& unit;
  void wire(const char* name, Wired<PipelineStage*>& wire) { unit.add_wire(name, wire); }
};

/// Binds ports of units beside each other as the core around them says.
class StageConnector {
 public:
  explicit StageConnector(const std::vector<std::unique_ptr<InnerModule>>& units) : units_(units) {}

  template <class Core>
  void connect(const Wired<PipelineStage*>& wire, Core& to) {
    connect_to(wire, &to);
  }

 private:
  void connect_to(const Wired<PipelineStage*>& wire, const void* core) const;

  const std::vector<std::unique_ptr<InnerModule>>& units_;
};

}  // namespace stcsim
