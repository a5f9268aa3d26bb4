#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/shared_state.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/statistics.hpp"
#include "models/base/unit_agenda.hpp"
#include "models/base/unit_kind.hpp"
#include "models/base/unit_ports.hpp"

namespace stcsim {

/// A box of the block diagram: a SystemC module without a process of its own. Units are nested as
/// they are constructed, so the tree of SystemC's objects is the block diagram.
class Unit : public sc_core::sc_module {
 public:
  Unit(const sc_core::sc_module_name& name, const UnitKind& kind);

  [[nodiscard]] const UnitKind& what() const { return kind_; }
  /// Units directly inside, in the order of their construction.
  [[nodiscard]] const std::vector<Unit*>& children() const { return children_; }

  [[nodiscard]] virtual bool has_statistics() const { return false; }
  /// Adds what this unit alone did in a launch that ended at `end`.
  virtual void add_statistics(StatisticsSum&, Cycle) const {}
  /// The thing it waits for, "" if nothing. For deadlock reports.
  [[nodiscard]] virtual std::string waiting_for() const { return ""; }

 private:
  friend std::vector<Unit*> sorted_children(const Unit& unit);

  UnitKind kind_;
  std::string_view basename_;
  std::vector<Unit*> children_;
};

/// Calls `visit(unit)` for all units below `unit`: every one before those inside it, siblings by
/// name, so that the order is the same in units that are built alike.
template <class Visit>
void for_each_below(const Unit& unit, Visit&& visit);

/// Siblings by name.
[[nodiscard]] std::vector<Unit*> sorted_children(const Unit& unit);

template <class Visit>
void for_each_below(const Unit& unit, Visit&& visit) {
  if (unit.children().empty()) return;
  for (Unit* const child : sorted_children(unit)) {
    visit(*child);
    for_each_below(*child, visit);
  }
}

/// The interface that the port of a pipeline stage is bound to: the unit that takes its
/// instructions next. It is asked once, after elaboration.
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

/// A unit with a core that acts at times of its own. What is asked of it once in a launch or a look
/// at the machine's state is one virtual call for all of its fields.
class ActiveUnit : public Acting, public Unit {
 public:
  using Unit::Unit;

  /// Resets the core for a launch.
  virtual void launch(const KernelLaunch& kernel) = 0;
  /// Who is told of movements of values, and of progress; null for nobody.
  virtual void tell(Datapath* datapath, ProgressObserver* observer) = 0;
  /// If given, is called with it after each of its turns.
  std::function<void(const Unit&)> after_turn;
  /// Gives up what is planned.
  virtual void disarm() = 0;
  /// Accounts the time up to the end of the launch.
  virtual void finish(Cycle end) = 0;

  /// Accounts the time up to `now`, so that equal states look equal, and describes the state.
  virtual void describe(StateWriter& writer, Cycle now) = 0;
  /// Takes over a described state, after launch(); it then has to be woken.
  virtual void restore(StateReader& reader) = 0;
  virtual void move_ahead(StateAdvancer& advancer) = 0;
  virtual void add_to_counters(CounterAdder& adder) = 0;
  /// Takes over the state and the plan of a unit of the same kind, in another SM. Only of units
  /// inside SMs.
  virtual void copy_state(const ActiveUnit& other);

 protected:
  void end_of_elaboration() override;
  void add_port(std::unique_ptr<UnitPort> port) { ports_.push_back(std::move(port)); }
  /// The port that stands for that member of the core.
  [[nodiscard]] UnitPort& port_of(const void* member) const;

 private:
  [[nodiscard]] virtual Sender sender() const = 0;

  std::vector<std::unique_ptr<UnitPort>> ports_;
};

/// An active unit on the agenda of the module above it that owns a process.
class ScheduledUnit : public ActiveUnit {
 public:
  struct Place {
    UnitAgenda& agenda;
    Sender sender;
  };
  ScheduledUnit(const sc_core::sc_module_name& name, const UnitKind& kind, const Place& place);

  void wake(Cycle at) final { agenda_.wake(number_, at); }
  void disarm() final { agenda_.plan(number_, kNever); }

 protected:
  void copy_plan(const ScheduledUnit& other) {
    agenda_.plan(number_, other.agenda_.due(other.number_));
  }

 private:
  [[nodiscard]] Sender sender() const final { return sender_; }

  UnitAgenda& agenda_;
  std::size_t number_;
  Sender sender_;
};

/// An active unit with a process of its own: one SC_METHOD, one event, no clock.
class ClocklessUnit : public ActiveUnit {
 public:
  struct Place {
    const LaunchClock& clock;
    const SmGroups& groups;
    Sender sender = {};
  };
  ClocklessUnit(const sc_core::sc_module_name& name, const UnitKind& kind, const Place& place);

  /// Has it act at `at`, which must lie after the current cycle. The earliest of several calls
  /// counts; the core is then asked anew.
  void wake(Cycle at) final;
  void disarm() final;
  /// Moves along with LaunchClock::skip.
  void skip(Cycles length);
  [[nodiscard]] const SmGroups& groups() const { return groups_; }
  /// The number of times it has acted since elaboration.
  [[nodiscard]] std::int64_t activations() const { return activations_; }

 protected:
  void copy_plan(const ClocklessUnit& other);

 private:
  void run();
  [[nodiscard]] Sender sender() const final { return sender_; }

  const LaunchClock& clock_;
  const SmGroups& groups_;
  Sender sender_;
  sc_core::sc_event due_;
  std::optional<Cycle> armed_;
  std::int64_t activations_ = 0;
};

}  // namespace stcsim
