#pragma once

#include <cstdint>
#include <optional>
#include <systemc>

#include "models/base/clockless_module.hpp"
#include "models/base/unit_agenda.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

namespace stcsim {

/// The SystemC module of one SM: one SC_METHOD for all its units, no clock.
///
/// An SM may run ahead of the rest of the machine: what the memory bus sends it needs `lookahead`
/// cycles and more, so the next `lookahead` cycles depend on the SM alone. That does not hold while
/// it has a store on the bus (which is accepted without delay) or may be given a CTA; then it waits
/// for the others.
class SmShell : public sc_core::sc_module {
 public:
  SmShell(const sc_core::sc_module_name& name, const LaunchClock& clock, Cycles lookahead);

  UnitAgenda agenda;

  /// What the SM's readiness to run ahead is read from.
  /// @param ctas_left  CTAs that SMs may still be given
  void connect(const StreamingMultiprocessor& control, const Epilogue& epilogue,
               const std::int64_t& ctas_left);
  /// @param run_ahead  false: every cycle is simulated when it is the machine's turn
  void launch(bool run_ahead);

  /// Notifies the process of the agenda's next turn: after units have been woken from outside.
  void arm();
  /// Simulates as far ahead as can be known; all that is due in this cycle has been done.
  void run_ahead();
  void disarm();
  /// Takes over the schedule of another SM; the agenda has been copied.
  void copy_schedule(const SmShell& other);
  /// Moves along with LaunchClock::skip.
  void skip(Cycles length);

 private:
  void run();
  /// True if a message may arrive in the cycle after the one at work.
  [[nodiscard]] bool may_be_answered() const;

  const LaunchClock& clock_;
  Cycles lookahead_;
  bool runs_ahead_ = false;
  const StreamingMultiprocessor* control_ = nullptr;
  const Epilogue* epilogue_ = nullptr;
  const std::int64_t* ctas_left_ = nullptr;
  sc_core::sc_event due_;
  std::optional<Cycle> armed_;
};

}  // namespace stcsim
