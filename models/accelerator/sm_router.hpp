#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <systemc>
#include <vector>

#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/state_visitor.hpp"

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
  [[nodiscard]] const SmGroups& groups() const { return groups_; }
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

  /// The groups, and how far members' counters are ahead of their representative's.
  template <class Visitor>
  void visit_groups(Visitor& visitor) {
    for (const std::int64_t sm : groups_.representatives()) visitor.value(groups_.members(sm));
    for (auto& [sm, ahead] : ahead_) {
      visitor.value(sm);
      for (std::int64_t& count : ahead) visitor.counter(count);
    }
  }
  /// After a launch: brings every SM's counters up to date, also of those that were not simulated
  /// on their own.
  void restore_counters();

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
  using Counters = std::vector<std::int64_t>;

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
  /// Representatives of the groups that make up `sms`, after splitting.
  std::vector<std::int64_t> isolate(SmSet sms);
  /// Merges those of these groups that are in the same state; returns whether there were any.
  bool merge_equal(const std::vector<std::int64_t>& representatives);
  /// The same, but less and less often while it is in vain.
  void try_merge(const std::vector<std::int64_t>& representatives);
  /// To the representative of a group that has just been split off.
  void give_own_counters(std::int64_t representative);
  void merge(std::int64_t into, const Counters& into_counters, std::int64_t from,
             const Counters& from_counters);

  const LaunchClock& clock_;
  std::vector<SmModules>& sms_;
  SmSets& sets_;
  SmGroups groups_;
  bool together_ = false;
  std::optional<Cycles> limit_;
  Cycles least_cta_cycles_;
  /// With a limit: after this cycle, the CTAs left cannot be done in time.
  std::optional<Cycle> last_chance_;
  std::int64_t ctas_left_ = 0;
  std::set<Cycle> calls_;
  bool armed_ = false;
  sc_core::sc_event due_;
  sc_core::sc_event call_due_;
  Queue<CtaAssignment> assignments_;
  Queue<StageFill> fills_;
  Queue<StoreAccepted> accepted_;
  /// What a member's counters are above those of its representative, from before it joined; a
  /// representative's own are true.
  std::map<std::int32_t, Counters> ahead_;
  std::int64_t merges_to_skip_ = 0;
  std::int64_t skip_after_failure_ = 0;
  std::int64_t activations_ = 0;
};

}  // namespace stcsim
