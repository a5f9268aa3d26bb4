#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "models/base/core_unit.hpp"
#include "models/base/shared_state.hpp"
#include "models/base/unit_agenda.hpp"
#include "models/base/unit_ports.hpp"
#include "models/copy_engine/copy_engine.hpp"
#include "models/cta_slots/cta_slots.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"
#include "models/sub_core/sub_core.hpp"

namespace stcsim {

/// Input of a module that owns an agenda: passes messages on to one of its units and plans the
/// module's next turn.
template <class Message, class Module>
class WayIn final : public InputInterface<Message> {
 public:
  explicit WayIn(Module& module) : module_(module) {}
  void lead_to(InputInterface<Message>& unit) { unit_ = &unit; }

  OutPort<Message>& wire_from(const Sender& sender) override {
    wires_.push_back(std::make_unique<Wire>(unit_->wire_from(sender), module_));
    return *wires_.back();
  }

 private:
  class Wire final : public OutPort<Message> {
   public:
    Wire(OutPort<Message>& unit, Module& module) : unit_(unit), module_(module) {}
    void send(Cycle at, const Message& message) override {
      unit_.send(at, message);
      module_.arm();
    }

   private:
    OutPort<Message>& unit_;
    Module& module_;
  };

  Module& module_;
  InputInterface<Message>* unit_ = nullptr;
  std::vector<std::unique_ptr<Wire>> wires_;
};

/// One SM: the module around its units, with one SC_METHOD for all of them and no clock.
///
/// An SM may run ahead of the rest of the machine: what the memory bus sends it needs `hop_cycles`
/// and more, so the next `hop_cycles` depend on the SM alone. That does not hold while it has a
/// store on the bus (which is accepted without delay) or may be given a CTA; then it waits for the
/// others. Nor does it run ahead of sub-cores with processes of their own.
class StreamingMultiprocessor : public Unit {
 public:
  /// The place of an SM in the machine around it.
  struct Place {
    std::int64_t number = 0;
    /// Way to the L2 cache or back.
    Cycles hop_cycles;
    /// From a CTA's arrival to its first copy and fragment fetch.
    Cycles cta_setup;
    /// Shuffles the order in which units are constructed; 0 = the natural order.
    std::uint64_t construction_seed = 0;
  };
  StreamingMultiprocessor(const sc_core::sc_module_name& name, const SharedState& shared,
                          const StreamingMultiprocessorConfig& config, const Place& place);

  OutputPort<LoadRequest> loads{"loads"};
  OutputPort<StoreRequest> stores{"stores"};
  OutputPort<CtaDone> ctas_done{"ctas_done"};
  InputExport<CtaAssignment> assignments{"assignments"};
  InputExport<StageFill> fills{"fills"};
  InputExport<StoreAccepted> accepted{"accepted"};

  UnitAgenda agenda;
  std::unique_ptr<Scheduled<CtaSlots>> cta_slots;
  std::unique_ptr<Scheduled<CopyEngine>> copy_engine;
  std::unique_ptr<Scheduled<SharedMemory>> shared_memory;
  std::unique_ptr<Scheduled<Epilogue>> epilogue;
  /// Either all on the agenda, or, where their stages pass messages, all with processes of their
  /// own.
  std::vector<std::unique_ptr<Scheduled<SubCore>>> sub_cores;
  std::vector<std::unique_ptr<Processed<SubCore>>> staged_sub_cores;

  /// All units that act, in an order that is the same in every SM.
  [[nodiscard]] const std::vector<ActiveUnit*>& units() const { return units_; }
  /// Turns that its units have taken.
  [[nodiscard]] std::int64_t activations() const;

  /// @param run_ahead  false: every cycle is simulated when it is the machine's turn
  void prepare(bool run_ahead);
  /// Notifies the process of the agenda's next turn: after units have been woken from outside.
  void arm();
  /// Gives up what it and its units have planned.
  void disarm();
  /// Simulates as far ahead as can be known; all that is due in this cycle has been done.
  void run_ahead();

  /// Accounts the time as far as it has been simulated, so that equal states look equal, then
  /// describes it. Two SMs with the same state do the same from now on.
  void describe(StateWriter& writer);
  /// The same, by itself, after simulating as far ahead as can be known: for comparing SMs.
  void describe(DescribedState& into);
  /// Takes over the state of another SM, which has nothing left to do in this cycle.
  void copy_state(const StreamingMultiprocessor& other);
  /// Moves `length` ahead, with LaunchClock::skip.
  void move_ahead(StateAdvancer& advancer, Cycles length);
  /// Adds to its counters, in the order of DescribedState::counters.
  void add_to_counters(const std::vector<std::int64_t>& more);

 private:
  void plan_units(const StreamingMultiprocessorConfig& config, const Place& place,
                  std::vector<std::function<void()>>& steps);
  void connect_units();
  template <class SubCoreUnit>
  void connect_sub_core(SubCoreUnit& sub_core);
  [[nodiscard]] std::unique_ptr<Processed<SubCore>> make_staged(
      const char* name, const StreamingMultiprocessorConfig& config, const Place& place,
      std::int64_t index);
  void run();
  void cancel();
  /// True if a message may arrive in the cycle after the one at work.
  [[nodiscard]] bool may_be_answered() const;

  const SharedState& shared_;
  Cycles lookahead_;
  bool runs_ahead_ = false;
  sc_core::sc_event due_;
  std::optional<Cycle> armed_;
  std::vector<ActiveUnit*> units_;
  WayIn<CtaAssignment, StreamingMultiprocessor> assignments_in_{*this};
  WayIn<StageFill, StreamingMultiprocessor> fills_in_{*this};
  WayIn<StoreAccepted, StreamingMultiprocessor> accepted_in_{*this};
};

/// By number.
using StreamingMultiprocessors = std::vector<std::unique_ptr<StreamingMultiprocessor>>;

}  // namespace stcsim
