#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "models/base/messages.hpp"
#include "models/base/shared_state.hpp"
#include "models/base/unit_ports.hpp"
#include "models/fast_forward/alike_sms.hpp"

namespace stcsim {

/// The way into the SMs. Messages for sets of SMs are kept until every unit has done what it has to
/// do in the cycle; then groups of SMs of which only a part is meant are split, groups that are
/// given a CTA and are in the same state are merged, and the messages are put into the inboxes of
/// the representatives. A message for the whole of a group need not wait.
class SmRouter : public sc_core::sc_module {
 public:
  SmRouter(const sc_core::sc_module_name& name, SharedState& shared,
           const StreamingMultiprocessors& sms);

  InputExport<CtaAssignment> assignments{"assignments"};
  InputExport<StageFill> fills{"fills"};
  InputExport<StoreAccepted> accepted{"accepted"};
  // To the SMs, in the order of their numbers.
  OutputPort<CtaAssignment, 0> to_assignments{"to_assignments"};
  OutputPort<StageFill, 0> to_fills{"to_fills"};
  OutputPort<StoreAccepted, 0> to_accepted{"to_accepted"};

  /// @param together  start with all SMs in one group and merge groups; else every SM is simulated
  ///                  on its own
  /// @param ctas  of the launch
  void launch(bool together, std::int64_t ctas);
  /// That many of them will have been given out when skipped periods are over.
  void skip_ctas(std::int64_t count) { take_ctas(count); }
  /// Who is simulated for whom.
  [[nodiscard]] AlikeSms& alike() { return alike_; }
  /// Pauses the simulation when the launch is certain to take longer, if every CTA takes at least
  /// `least_cta_cycles` of its SM.
  void set_limit(std::optional<Cycles> limit, Cycles least_cta_cycles);
  /// Pauses the simulation for another reason.
  void give_up() { is_given_up_ = true; }
  /// Whether it has been paused for good.
  [[nodiscard]] bool is_over_limit() const;
  /// Has `after_cycle` called when the messages of cycle `at`, now or later, have been routed.
  void request_call(Cycle at);
  /// Gives up all calls.
  void forget_calls();
  std::function<void()> after_cycle;
  [[nodiscard]] std::int64_t activations() const { return activations_; }

 private:
  template <class Message>
  struct Routed {
    Cycle at;
    Message message;
  };
  template <class Message>
  class Queue : public OutPort<Message>, public InputInterface<Message> {
   public:
    explicit Queue(SmRouter& router) : router_(router) {}
    OutPort<Message>& wire_from(const Sender&) override { return *this; }
    void send(Cycle at, const Message& message) override {
      if (waiting.empty() && router_.deliver_to_group(at, message)) return;
      waiting.push_back({at, message});
      router_.wake();
    }
    std::vector<Routed<Message>> waiting;

   private:
    SmRouter& router_;
  };
  /// The CTAs one SM is given in a cycle, and the representative of its group.
  struct Given {
    std::int64_t group = 0;
    std::span<const CtaAssignment> ctas;

    [[nodiscard]] std::int64_t sm() const { return ctas.front().sm; }
  };

  template <class Message>
  using Wires = std::vector<OutPort<Message>*>;

  void end_of_elaboration() override;
  void wake();
  void run();
  void take_ctas(std::int64_t count);
  void call_if_due();
  [[nodiscard]] sc_core::sc_time delay_until(Cycle at) const;
  void deliver(std::int64_t sm, Cycle at, const StageFill& fill);
  void deliver(std::int64_t sm, Cycle at, const StoreAccepted& store);
  /// Delivers a message at once if it is for all of one group; returns whether it was.
  template <class Message>
  bool deliver_to_group(Cycle at, const Message& message);
  bool deliver_to_group(Cycle, const CtaAssignment&) { return false; }
  void route_assignments();
  /// Delivers to those of one group that are given CTAs of the same kind.
  void deliver_together(std::span<const Given> alike, Cycle at);
  void merge_same_kinds();

  SharedState& shared_;
  AlikeSms alike_;
  // By SM.
  Wires<CtaAssignment> assignment_wires_;
  Wires<StageFill> fill_wires_;
  Wires<StoreAccepted> accepted_wires_;
  std::optional<Cycles> limit_;
  Cycles least_cta_cycles_;
  /// With a limit: after this cycle, the CTAs left cannot be done in time.
  std::optional<Cycle> last_chance_;
  bool is_given_up_ = false;
  std::vector<Cycle> calls_;  // ascending
  bool armed_ = false;
  sc_core::sc_event due_;
  sc_core::sc_event call_due_;
  Queue<CtaAssignment> assignment_queue_;
  Queue<StageFill> fill_queue_;
  Queue<StoreAccepted> accepted_queue_;
  std::int64_t activations_ = 0;
  // At work; kept for their memory.
  SmNumbers members_;
  std::vector<CtaAssignment> assigned_;
  std::vector<Given> given_;
  std::vector<Given> given_to_groups_;
  std::vector<std::int64_t> same_kind_;
};

}  // namespace stcsim
