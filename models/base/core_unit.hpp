#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/core_hooks.hpp"
#include "models/base/unit.hpp"

namespace stcsim {

// The shells of cores (core_hooks.hpp).

template <class Core>
void tell_statistics(const Core& core, const UnitKind& kind, StatisticsSum& sum, Cycle end) {
  if constexpr (Core::kHooks.visit_statistics) {
    sum.unit(kind.name);
    core.visit_statistics(sum, end);
  }
}

template <class Core>
[[nodiscard]] std::string reason_to_wait(const Core& core) {
  if constexpr (Core::kHooks.waiting_for) return core.waiting_for();
  return "";
}

/// Makes the units of the cores inside a core.
class ChildMaker {
 public:
  template <class Core>
  void child(const char* name, Core& core) {
    child(name, Core::kKind, core);
  }
  /// For a class that is a part of several kinds of units.
  template <class Core>
  void child(const char* name, const UnitKind& kind, Core& core);

  std::vector<std::unique_ptr<InnerModule>> made;
};

template <class Core>
[[nodiscard]] std::vector<std::unique_ptr<InnerModule>> make_children(Core& core) {
  ChildMaker maker;
  if constexpr (Core::kHooks.visit_children) core.visit_children(maker);
  if constexpr (Core::kHooks.connect_stages) {
    StageConnector connector(maker.made);
    core.connect_stages(connector);
  }
  return std::move(maker.made);
}

/// The unit of a core that is a part of another core, which calls it and describes its state.
template <HasHooksAsListed Core>
class InnerUnit final : public InnerModule {
 public:
  InnerUnit(const sc_core::sc_module_name& name, const UnitKind& kind, Core& core)
      : InnerModule(name, kind, &core), core_(core), children_(make_children(core)) {
    if constexpr (Core::kHooks.visit_stage_wires) {
      StageWireMaker maker{*this};
      core.visit_stage_wires(maker);
    }
    if constexpr (Core::kHooks.first_stage) accept_instructions(first_stage(core));
  }

  void add_statistics(StatisticsSum& sum, Cycle end) const override {
    tell_statistics(core_, what(), sum, end);
  }
  [[nodiscard]] bool has_statistics() const override { return Core::kHooks.visit_statistics; }
  [[nodiscard]] std::string waiting_for() const override { return reason_to_wait(core_); }

 private:
  Core& core_;
  std::vector<std::unique_ptr<InnerModule>> children_;
};

template <class Core>
void ChildMaker::child(const char* name, const UnitKind& kind, Core& core) {
  made.push_back(std::make_unique<InnerUnit<Core>>(name, kind, core));
}

/// The unit of a core that acts as `Shell` does: ScheduledUnit or ClocklessUnit.
template <ClocklessCore Core, class Shell>
class CoreUnit : public Shell {
 public:
  template <class... Arguments>
  CoreUnit(const sc_core::sc_module_name& name, const typename Shell::Place& place,
           Arguments&&... arguments)
      : Shell(name, Core::kKind, place),
        core(std::forward<Arguments>(arguments)...),
        children_(make_children(core)) {
    PortMaker maker{*this};
    if constexpr (Core::kHooks.visit_ports) core.visit_ports(maker);
  }

  /// The input that stands for that Inbox of the core, or of one inside it.
  template <class Message>
  [[nodiscard]] InputExport<Message>& in(const Inbox<Message>& inbox) {
    return static_cast<UnitInput<Message>&>(this->port_of(&inbox)).port;
  }
  template <class Message>
  [[nodiscard]] InputExport<Message>& in(Inbox<Message> Core::*inbox) {
    return in(core.*inbox);
  }
  /// The output that stands for that wire, or for those wires.
  template <class Message>
  [[nodiscard]] OutputPort<Message>& out(const Wired<OutPort<Message>*>& wire) {
    return static_cast<UnitOutput<Message>&>(this->port_of(&wire)).port;
  }
  template <class Message>
  [[nodiscard]] OutputPort<Message>& out(Wired<OutPort<Message>*> Core::*wire) {
    return out(core.*wire);
  }
  template <class Message>
  [[nodiscard]] OutputPort<Message, 0>& out(Wired<std::vector<OutPort<Message>*>> Core::*wires) {
    return static_cast<UnitOutputs<Message>&>(this->port_of(&(core.*wires))).port;
  }

  std::optional<Cycle> act(Cycle now) override {
    const std::optional<Cycle> next = core.advance(now);
    if (this->after_turn) this->after_turn(*this);
    return next;
  }
  void launch(const KernelLaunch& kernel) override { core.launch(kernel); }
  void tell([[maybe_unused]] Datapath* datapath,
            [[maybe_unused]] ProgressObserver* observer) override {
    if constexpr (Core::kHooks.tell) core.tell(datapath);
    if constexpr (Core::kHooks.datapath) core.datapath = datapath;
    if constexpr (Core::kHooks.observer) core.observer = observer;
  }
  void finish([[maybe_unused]] Cycle end) override {
    if constexpr (Core::kHooks.finish) core.finish(end);
  }
  void describe(StateWriter& writer, [[maybe_unused]] Cycle now) override {
    if constexpr (Core::kHooks.settle) core.settle(now);
    core.visit_state(writer);
  }
  void restore(StateReader& reader) override {
    core.visit_state(reader);
    if constexpr (Core::kHooks.restored) core.restored();
  }
  void move_ahead(StateAdvancer& advancer) override { core.visit_state(advancer); }
  void add_to_counters(CounterAdder& adder) override { core.visit_state(adder); }
  void add_statistics(StatisticsSum& sum, Cycle end) const override {
    tell_statistics(core, this->what(), sum, end);
  }
  [[nodiscard]] bool has_statistics() const override { return Core::kHooks.visit_statistics; }
  [[nodiscard]] std::string waiting_for() const override { return reason_to_wait(core); }

  Core core;

 private:
  /// Makes the ports that a core names.
  struct PortMaker {
    CoreUnit& unit;

    template <class Message>
    void in(const char* name, Inbox<Message>& inbox) {
      unit.add_port(std::make_unique<InputFromUnits<Shell, Message>>(name, inbox, unit));
    }
    /// Asks for messages of which the core says whether it awaits(const Message&): others do not
    /// wake it.
    template <class Message>
    void in_if_awaited(const char* name, Inbox<Message>& inbox) {
      unit.add_port(
          std::make_unique<AwaitedInput<Core, Shell, Message>>(name, inbox, unit, unit.core));
    }
    template <class Message>
    void in_from_sms(const char* name, Inbox<Message>& inbox) {
      unit.add_port(
          std::make_unique<InputFromSms<Shell, Message>>(name, inbox, unit, unit.groups()));
    }
    template <class Message>
    void out(const char* name, Wired<OutPort<Message>*>& wire) {
      unit.add_port(std::make_unique<UnitOutput<Message>>(name, wire));
    }
    template <class Message>
    void out(const char* name, Wired<std::vector<OutPort<Message>*>>& wires) {
      unit.add_port(std::make_unique<UnitOutputs<Message>>(name, wires));
    }
  };

  std::vector<std::unique_ptr<InnerModule>> children_;
};

/// A core with a process of its own.
template <ClocklessCore Core>
using Clockless = CoreUnit<Core, ClocklessUnit>;

/// A core on an agenda.
template <ClocklessCore Core>
class Scheduled final : public CoreUnit<Core, ScheduledUnit> {
 public:
  using CoreUnit<Core, ScheduledUnit>::CoreUnit;

  void copy_state(const ActiveUnit& other) override {
    const auto& of = static_cast<const Scheduled&>(other);
    this->core = of.core;
    this->copy_plan(of);
  }
};

/// A core inside an SM with a process of its own. After each of its turns it calls `arm`, as what
/// it sends may have planned turns on the SM's agenda.
template <ClocklessCore Core>
class Processed final : public CoreUnit<Core, ClocklessUnit> {
 public:
  template <class... Arguments>
  Processed(const sc_core::sc_module_name& name, const ClocklessUnit::Place& place,
            std::function<void()> arm, Arguments&&... arguments)
      : CoreUnit<Core, ClocklessUnit>(name, place, std::forward<Arguments>(arguments)...),
        arm_(std::move(arm)) {}

  std::optional<Cycle> act(Cycle now) override {
    const std::optional<Cycle> next = CoreUnit<Core, ClocklessUnit>::act(now);
    arm_();
    return next;
  }
  void copy_state(const ActiveUnit& other) override {
    const auto& of = static_cast<const Processed&>(other);
    this->core = of.core;
    this->copy_plan(of);
  }

 private:
  std::function<void()> arm_;
};

}  // namespace stcsim
