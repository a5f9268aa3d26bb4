#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/fast_forward/alike_sms.hpp"

namespace stcsim {

struct SmModules;
class LaunchClock;

/// The way into the SMs. Messages for sets of SMs are kept until every unit has done what it has to
/// do in the cycle; then groups of SMs of which only a part is meant are split, groups that are
/// given a CTA and are in the same state are merged, and the messages are put into the inboxes of
/// the representatives. A message for the whole of a group need not wait.
class SmRouter : public sc_core::sc_module {
 public:
  SmRouter(const sc_core::sc_module_name& name, const LaunchClock& clock,
           std::vector<SmModules>& sms, SmSets& sets);

  OutPort<CtaAssignment>& assignments() { return assignments_; }
  OutPort<StageFill>& fills() { return fills_; }
  OutPort<StoreAccepted>& accepted() { return accepted_; }

  /// @param together  start with all SMs in one group and merge groups; else every SM is simulated
  ///                  on its own
  /// @param ctas  of the launch
  void launch(bool together, std::int64_t ctas);
  /// CTAs that SMs may still be given.
  [[nodiscard]] const std::int64_t& ctas_left() const { return ctas_left_; }
  /// That many of them will have been given out when skipped periods are over.
  void skip_ctas(std::int64_t count) { take_ctas(count); }
  /// Who is simulated for whom.
  [[nodiscard]] AlikeSms& alike() { return alike_; }
  [[nodiscard]] const SmGroups& groups() const { return alike_.groups(); }
  /// Pauses the simulation when the launch is certain to take longer, if every CTA takes at least
  /// `least_cta_cycles` of its SM.
  void set_limit(std::optional<Cycles> limit, Cycles least_cta_cycles);
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
  class Queue : public OutPort<Message> {
   public:
    explicit Queue(SmRouter& router) : router_(router) {}
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

  void wake();
  void run();
  void take_ctas(std::int64_t count);
  void call_if_due();
  [[nodiscard]] sc_core::sc_time delay_until(Cycle at) const;
  static void deliver(SmModules& to, Cycle at, const StageFill& fill);
  static void deliver(SmModules& to, Cycle at, const StoreAccepted& store);
  /// Delivers a message at once if it is for all of one group; returns whether it was.
  template <class Message>
  bool deliver_to_group(Cycle at, const Message& message);
  bool deliver_to_group(Cycle, const CtaAssignment&) { return false; }
  void route_assignments();
  /// Delivers to those of one group that are given CTAs of the same kind.
  void deliver_together(std::span<const Given> alike, Cycle at);
  void merge_same_kinds();

  const LaunchClock& clock_;
  std::vector<SmModules>& sms_;
  SmSets& sets_;
  AlikeSms alike_;
  std::optional<Cycles> limit_;
  Cycles least_cta_cycles_;
  /// With a limit: after this cycle, the CTAs left cannot be done in time.
  std::optional<Cycle> last_chance_;
  std::int64_t ctas_left_ = 0;
  std::vector<Cycle> calls_;  // ascending
  bool armed_ = false;
  sc_core::sc_event due_;
  sc_core::sc_event call_due_;
  Queue<CtaAssignment> assignments_;
  Queue<StageFill> fills_;
  Queue<StoreAccepted> accepted_;
  std::int64_t activations_ = 0;
  // At work; kept for their memory.
  SmNumbers members_;
  std::vector<CtaAssignment> assigned_;
  std::vector<Given> given_;
  std::vector<Given> given_to_groups_;
  std::vector<std::int64_t> same_kind_;
};

}  // namespace stcsim
