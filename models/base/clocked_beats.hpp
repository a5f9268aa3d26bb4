#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/stage_message.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// What beats pass by valid and ready, clock after clock, in the order in which they come: a beat
/// moves in the cycles in which it is valid and what is behind it ready.
class ClockedUnit {
 public:
  ClockedUnit() = default;
  ClockedUnit(const ClockedUnit&) = default;
  ClockedUnit& operator=(const ClockedUnit&) = default;
  virtual ~ClockedUnit() = default;
  /// Clocks from a beat's way in to its way out, if nothing holds it up; at least one.
  [[nodiscard]] virtual Cycles depth() const = 0;
  /// Empties it.
  virtual void reset() = 0;
  /// Whether a beat is on its way out.
  [[nodiscard]] virtual bool valid() = 0;
  /// Whether it would take a beat.
  /// @param next_is_ready  whether the beat on its way out would leave
  [[nodiscard]] virtual bool ready(bool next_is_ready) = 0;
  /// The edge that ends a cycle.
  /// @param takes  a beat comes in; only if it is ready
  virtual void clock(bool takes, bool next_is_ready) = 0;
};

/// Registers in a row: each hands its beat to the next one that is free or becomes so.
class ElasticRegisters final : public ClockedUnit {
 public:
  explicit ElasticRegisters(std::int64_t depth = 0) : is_full_(static_cast<std::size_t>(depth)) {}

  [[nodiscard]] Cycles depth() const override { return Cycles(std::ssize(is_full_)); }
  void reset() override { is_full_.assign(is_full_.size(), 0); }
  [[nodiscard]] bool valid() override { return is_full_.back() != 0; }
  [[nodiscard]] bool ready(bool next_is_ready) override;
  void clock(bool takes, bool next_is_ready) override;
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    for (std::uint8_t& is_full : is_full_) visitor.value(is_full);
  }

 private:
  std::vector<std::uint8_t> is_full_;  // the last one's beat is on its way out
};

/// The messages of a stage whose work passes a clocked unit: as many beats as they keep the stage
/// cycles, the last one not before their last byte. A message leaves with its first beat; what
/// takes it has room for all.
class ClockedBeats {
 public:
  /// A circuit that stands in for registers; null: none.
  Wired<ClockedUnit*> circuit;

  /// Forgets what has been.
  /// @param is_used  by the launch; not: there are no beats
  /// @param registers  of the built-in unit; with none of them and no circuit there are no beats
  void open(bool is_used, std::int64_t registers);
  [[nodiscard]] bool is_open() const { return depth() > Cycles(); }
  /// Cycles that it adds to an instruction's latency.
  [[nodiscard]] Cycles depth() const { return depth_; }
  [[nodiscard]] bool is_empty() const { return messages_.empty(); }
  /// A message is at work whose last beat has not come in.
  [[nodiscard]] bool is_entering() const {
    return !is_empty() && messages_.back().in < messages_.back().beats;
  }
  /// Clocks the unit up to the beginning of a cycle. Throws SimulationError if it was not asked in
  /// one in which beats were under way.
  void advance_to(Cycle now);

  /// What is on its way out in this cycle and has not been told to leave or stay: a message with
  /// its first beat, as it would leave; or a further beat of one that has left.
  struct Exit {
    std::optional<StageMessage> message;
  };
  [[nodiscard]] std::optional<Exit> exit(Cycle now);
  /// Throws SimulationError if a message's last beat leaves at another time than was said.
  void decide(bool leaves, Cycle now);

  /// Whether a beat could come in.
  [[nodiscard]] bool is_ready() { return !takes_ && unit().ready(next_is_ready_); }
  /// A message begins.
  /// @param own  cycles that it keeps the stage
  void begin(const StageMessage& message, Cycles own);
  /// Its next beat comes in if it is there and the unit ready; it stalls once a cycle.
  enum class Entry : std::uint8_t { waits, stalls, enters };
  Entry enter(Cycle now);
  /// The message that came last, and when its last beat will be in if nothing stalls.
  [[nodiscard]] const StageMessage& entering() const { return messages_.back().message; }
  [[nodiscard]] Cycle entered_at(Cycle now) const;

  /// Circuits have states of their own: no launch is skipped through that has one.
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    visit_size(visitor, messages_);
    for (InFlight& one : messages_) {
      visit_message(visitor, one.message);
      visitor.time(one.all_there);
      for (std::int64_t* count : {&one.beats, &one.in, &one.out}) visitor.value(*count);
      if (visitor.present(one.out > 0)) visitor.time(one.leaves);
    }
    registers_.visit_state(visitor);
    if (!visitor.present(is_active_)) return;
    visitor.time(cycle_);
    for (bool* flag : {&is_active_, &takes_, &is_decided_, &has_stalled_, &next_is_ready_})
      visitor.value(*flag);
  }

 private:
  struct InFlight {
    StageMessage message;
    Cycle all_there;  // its last byte, before the unit
    Cycle leaves;     // its last byte, behind the unit, once the first beat is out
    std::int64_t beats = 0;
    std::int64_t in = 0;
    std::int64_t out = 0;
  };
  [[nodiscard]] ClockedUnit& unit() {
    return circuit != nullptr ? static_cast<ClockedUnit&>(*circuit) : registers_;
  }

  Cycles depth_;
  ElasticRegisters registers_;
  std::vector<InFlight> messages_;  // the first that began first
  // In the cycle that it was last asked in:
  Cycle cycle_;
  bool is_active_ = false;  // beats are under way
  bool takes_ = false;
  bool is_decided_ = false;
  bool has_stalled_ = false;
  bool next_is_ready_ = false;
};

}  // namespace stcsim
