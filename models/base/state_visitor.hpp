#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// The move of the whole machine's state when it recurs. Either the same CTAs are `steps` k-steps
/// further (then `ctas` is 0), or every CTA has been replaced by the one `ctas` later in raster
/// order at the same k-step (then `steps` is 0).
struct Period {
  Cycles length;
  std::int64_t steps = 0;
  std::int64_t ctas = 0;
  std::int64_t fills = 0;  // DRAM fills requested

  friend bool operator==(const Period&, const Period&) = default;
};

/// The origin that relative state is relative to.
struct StateOrigin {
  Cycle now;
  std::int64_t next_cta = 0;   // CTAs dispatched
  std::int64_t next_fill = 0;  // DRAM fills requested
  /// K-step of every CTA slot of every SM (sm * slots + slot): the next one to be loaded.
  std::vector<std::int64_t> slot_steps;
  std::int64_t slots_per_sm = 1;
  std::int64_t groups_per_step = 1;

  [[nodiscard]] std::int64_t step_of(std::int64_t sm, std::int64_t slot) const {
    return slot_steps[static_cast<std::size_t>(sm * slots_per_sm + slot)];
  }
};

/// The state that a StateWriter writes.
struct DescribedState {
  std::vector<std::int64_t> state;
  std::vector<std::int64_t> counters;
};

/// Every unit describes its state to a visitor, field by field:
///   time      a point in time that matters exactly
///   deadline  a point in time of which only the part after now matters
///   value     anything that has to be the same again
///   step      a k-step of the CTA in a slot; group: an instruction group of it
///   cta       a CTA's number in raster order; fill: a DRAM fill's number
///   counter   a statistic: it does not influence the future and grows evenly
///   present   whether a part follows; if not, what is left out makes no difference
///   apart     a part that does not recur, and is checked in another way
///
/// StateWriter writes the state relative to a StateOrigin: two equal states mean that the machine
/// will do the same again, shifted. What a StateReader reads back makes a unit go on in the same
/// way, so nothing that matters is left out.
class StateWriter {
 public:
  /// same_ctas, same_steps: as Period says. complete: k-steps and CTAs as they are, and the parts
  /// that do not recur, to be read back.
  enum class Kind : std::uint8_t { same_ctas, same_steps, complete };

  /// @param into  written anew, in the memory that it has; complete after finish()
  StateWriter(Kind kind, const StateOrigin& origin, DescribedState& into)
      : kind_(kind),
        origin_(origin),
        now_(origin.now),
        state_(into.state),
        counters_(into.counters) {
    state_.resize(std::max(state_.capacity(), kFewFields));
    counters_.clear();
  }
  void finish() { state_.resize(fields_); }

  /// The time that times are relative to, for a part of the machine that is ahead of the rest.
  void set_now(Cycle now) { now_ = now; }

  void time(const Cycle& at) { put(at.index() - now_.index()); }
  void deadline(const Cycle& at) { put(at > now_ ? (at - now_).count() : 0); }
  template <class T>
  void value(const T& value) {
    put(static_cast<std::int64_t>(value));
  }
  void value(const Cycles& length) { put(length.count()); }
  void step(const std::int64_t& step, std::int64_t sm, std::int64_t slot) {
    put(kind_ == Kind::same_ctas ? step - origin_.step_of(sm, slot) : step);
  }
  void group(const std::int64_t& group, std::int64_t sm, std::int64_t slot) {
    const bool is_relative = kind_ == Kind::same_ctas;
    put(is_relative ? group - origin_.step_of(sm, slot) * origin_.groups_per_step : group);
  }
  void cta(const std::int64_t& cta) {
    put(kind_ == Kind::same_steps ? cta - origin_.next_cta : cta);
  }
  void fill(const std::int64_t& fill) {
    put(kind_ == Kind::complete ? fill : fill - origin_.next_fill);
  }
  void counter(const std::int64_t& count) { counters_.push_back(count); }
  void counter(const Cycles& count) { counters_.push_back(count.count()); }
  bool present(bool is_present) {
    value(is_present);
    return is_present;
  }
  template <class Part>
  void apart(Part& part) {
    if (kind_ == Kind::complete) part.visit_state(*this);
  }

 private:
  /// Much is written, so place is made for many fields at a time.
  void put(std::int64_t field) {
    if (fields_ == state_.size()) state_.resize(2 * fields_);
    state_[fields_++] = field;
  }

  static constexpr std::size_t kFewFields = 512;
  Kind kind_;
  const StateOrigin& origin_;
  Cycle now_;
  std::vector<std::int64_t>& state_;
  std::size_t fields_ = 0;
  std::vector<std::int64_t>& counters_;
};

/// Reads a complete state back, into a unit that has been launched and has done nothing since.
class StateReader {
 public:
  /// @param now  when the state was described
  StateReader(const DescribedState& from, Cycle now) : from_(from), now_(now) {}

  void time(Cycle& at) { at = Cycle(now_.index() + next()); }
  void deadline(Cycle& at) { time(at); }
  template <class T>
  void value(T& value) {
    value = static_cast<T>(next());
  }
  void value(Cycles& length) { length = Cycles(next()); }
  void step(std::int64_t& step, std::int64_t, std::int64_t) { value(step); }
  void group(std::int64_t& group, std::int64_t, std::int64_t) { value(group); }
  void cta(std::int64_t& cta) { value(cta); }
  void fill(std::int64_t& fill) { value(fill); }
  void counter(std::int64_t& count) { count = from_.counters.at(next_counter_++); }
  void counter(Cycles& count) { count = Cycles(from_.counters.at(next_counter_++)); }
  bool present(bool) { return next() != 0; }
  template <class Part>
  void apart(Part& part) {
    part.visit_state(*this);
  }

  /// True if nothing is left to read.
  [[nodiscard]] bool at_end() const {
    return next_field_ == from_.state.size() && next_counter_ == from_.counters.size();
  }

 private:
  std::int64_t next() { return from_.state.at(next_field_++); }

  const DescribedState& from_;
  Cycle now_;
  std::size_t next_field_ = 0;
  std::size_t next_counter_ = 0;
};

/// Moves the state `times` periods ahead. `growth` is what each counter gains per period, in the
/// order of the visits.
class StateAdvancer {
 public:
  StateAdvancer(const Period& period, std::int64_t times, const StateOrigin& origin,
                const std::vector<std::int64_t>& growth)
      : period_(period), times_(times), origin_(origin), growth_(growth) {}

  void time(Cycle& at) { at += period_.length * times_; }
  void deadline(Cycle& at) { at += period_.length * times_; }
  template <class T>
  void value(const T&) {}
  void step(std::int64_t& step, std::int64_t, std::int64_t) { step += period_.steps * times_; }
  void group(std::int64_t& group, std::int64_t, std::int64_t) {
    group += period_.steps * times_ * origin_.groups_per_step;
  }
  void cta(std::int64_t& cta) { cta += period_.ctas * times_; }
  void fill(std::int64_t& fill) { fill += period_.fills * times_; }
  void counter(std::int64_t& count) { count += growth_[next_counter_++] * times_; }
  void counter(Cycles& count) { count += Cycles(growth_[next_counter_++] * times_); }
  bool present(bool is_present) { return is_present; }
  template <class Part>
  void apart(const Part&) {}

 private:
  const Period& period_;
  std::int64_t times_;
  const StateOrigin& origin_;
  const std::vector<std::int64_t>& growth_;
  std::size_t next_counter_ = 0;
};

/// Adds to the counters, in the order of the visits, and leaves the rest alone.
class CounterAdder {
 public:
  explicit CounterAdder(const std::vector<std::int64_t>& more) : more_(more) {}

  void time(const Cycle&) {}
  void deadline(const Cycle&) {}
  template <class T>
  void value(const T&) {}
  void step(const std::int64_t&, std::int64_t, std::int64_t) {}
  void group(const std::int64_t&, std::int64_t, std::int64_t) {}
  void counter(std::int64_t& count) { count += more_[next_++]; }
  void counter(Cycles& count) { count = Cycles(count.count() + more_[next_++]); }
  void cta(const std::int64_t&) {}
  void fill(const std::int64_t&) {}
  bool present(bool is_present) { return is_present; }
  template <class Part>
  void apart(const Part&) {}

 private:
  const std::vector<std::int64_t>& more_;
  std::size_t next_ = 0;
};

/// The number of elements of a container. One that is read back gets as many.
template <class Visitor, class Container>
void visit_size(Visitor& visitor, Container& elements) {
  std::size_t size = elements.size();
  visitor.value(size);
  if (size != elements.size()) elements.resize(size);
}

}  // namespace stcsim
