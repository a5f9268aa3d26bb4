#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/launch_clock.hpp"
#include "models/base/progress_observer.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/unit.hpp"
#include "models/base/unit_agenda.hpp"
#include "models/base/unit_ports.hpp"
#include "models/functional/datapath.hpp"

namespace stcsim {

/// A unit with a core that acts at times of its own. What is asked of it once in a launch or a look
/// at the machine's state is one virtual call for all of its fields.
class ActiveUnit : public Acting, public Unit {
 public:
  using Unit::Unit;

  /// Resets the core for a launch.
  virtual void launch(const KernelLaunch& kernel) = 0;
  /// Who is told of movements of values, and of progress; null for nobody.
  virtual void tell(Datapath* datapath, ProgressObserver* observer) = 0;
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
  /// Takes over the state and the plan of a unit of the same kind.
  virtual void copy_state(const ScheduledUnit& other) = 0;

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
  };
  ClocklessUnit(const sc_core::sc_module_name& name, const UnitKind& kind, const Place& place);

  /// Has it act at `at`, which must lie after the current cycle. The earliest of several calls
  /// counts; the core is then asked anew.
  void wake(Cycle at) final;
  void disarm() final;
  /// Moves along with LaunchClock::skip.
  void skip(Cycles length);
  [[nodiscard]] const SmGroups& groups() const { return groups_; }
  /// How often it has acted since elaboration.
  [[nodiscard]] std::int64_t activations() const { return activations_; }

 private:
  void run();
  [[nodiscard]] Sender sender() const final { return {}; }

  const LaunchClock& clock_;
  const SmGroups& groups_;
  sc_core::sc_event due_;
  std::optional<Cycle> armed_;
  std::int64_t activations_ = 0;
};

}  // namespace stcsim
