#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "Vclocked_crossbar.h"
#include "Vclocked_index.h"
#include "Vclocked_mask.h"
#include "Vclocked_ordered.h"
#include "Vmetadata_buffer.h"
#include "models/tensor_core/tensor_core.hpp"
#include "tests/property/selection_case.hpp"
#include "tests/rtl/verilated_circuit.hpp"
#include "tests/rtl/verilated_unit.hpp"
#include "tests/support/drawn_sub_core.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// Registers of the circuits, as tests/rtl/CMakeLists.txt asks for.
constexpr std::int64_t kOfIndex = 1, kOfMask = 2, kOfCrossbar = 2, kOfOrdered = 3;
constexpr std::uint64_t kDrawn = 300;

/// A sub-core's two units, which stand in for what is built in, as may a queue of words.
class TwoUnits final : public CircuitsOnly {
 public:
  TwoUnits(std::unique_ptr<ClockedUnit> decoder, std::unique_ptr<ClockedUnit> selector)
      : decoder_(std::move(decoder)), selector_(std::move(selector)) {}
  ClockedUnit* circuit_of(const UnitKind& stage) override {
    if (&stage == &MetadataBuffer::kKind) return buffer;
    return &stage == &MetadataDecoder::kKind ? &seen_decoder : &seen_selector;
  }
  ClockedUnit* buffer = nullptr;

 private:
  std::unique_ptr<ClockedUnit> decoder_;
  std::unique_ptr<ClockedUnit> selector_;

 public:
  RecordedUnit seen_decoder{*decoder_};
  RecordedUnit seen_selector{*selector_};
};

TwoUnits registers(bool is_ordered) {
  return {std::make_unique<ElasticRegisters>(is_ordered ? kOfMask : kOfIndex),
          std::make_unique<ElasticRegisters>(is_ordered ? kOfOrdered : kOfCrossbar)};
}
TwoUnits circuits(bool is_ordered) {
  if (is_ordered) {
    return {std::make_unique<VerilatedUnit<Vclocked_mask>>(kOfMask),
            std::make_unique<VerilatedUnit<Vclocked_ordered>>(kOfOrdered)};
  }
  return {std::make_unique<VerilatedUnit<Vclocked_index>>(kOfIndex),
          std::make_unique<VerilatedUnit<Vclocked_crossbar>>(kOfCrossbar)};
}

/// Random sub-cores with queues that fill up, decoder and selector as circuits and as registers of
/// the same depth: they take and give the same beats in every cycle, and a warp goes on alike.
TEST(Clocked, DecidesCyclesAsRegistersOfItsDepthDo) {
  std::int64_t held_up = 0;
  const std::uint64_t first = seed_or(65'900);
  for (std::uint64_t seed = first; seed < first + kDrawn; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool is_ordered = seed % 2 == 1;
    Dice dice(seed);
    const DrawnSubCore drawn = draw_sub_core(dice);
    TwoUnits built_in = registers(is_ordered);
    TwoUnits verilated = circuits(is_ordered);
    ASSERT_EQ(event_by_event(drawn, &verilated), event_by_event(drawn, &built_in));
    for (RecordedUnit TwoUnits::*const unit : {&TwoUnits::seen_decoder, &TwoUnits::seen_selector}) {
      ASSERT_EQ((verilated.*unit).clocks(), (built_in.*unit).clocks());
      for (const auto& [valid, ready, takes, next] : (built_in.*unit).clocks()) {
        held_up += valid && !next ? 1 : 0;
      }
    }
  }
  EXPECT_GT(held_up, 1000);
}

/// With a buffer for five instructions whose queue is a circuit they are fetched when they are with
/// one that counts bytes.
TEST(Clocked, MetadataBufferDecidesAsItsBytesDo) {
  VerilatedUnit<Vmetadata_buffer> queue(1);
  int by_room = 0;
  for (std::uint64_t seed = seed_or(66'100); seed < seed_or(66'100) + kDrawn / 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    DrawnSubCore drawn = draw_sub_core(dice);
    drawn.depth = dice.between(6, 8);  // the decoder may have more behind it than the buffer holds
    drawn.instructions = dice.between(40, 60);
    drawn.multipliers = 64;  // so that all stages before them fill up
    TwoUnits built_in = registers(false);
    drawn.buffer_bytes = field::kMostBytes;
    const std::vector<std::int64_t> unlimited = event_by_event(drawn, &built_in);
    drawn.buffer_bytes = 5 * kBytesOfMetadata;
    TwoUnits counted = registers(false);
    const std::vector<std::int64_t> by_bytes = event_by_event(drawn, &counted);
    TwoUnits verilated = registers(false);
    verilated.buffer = &queue;
    ASSERT_EQ(event_by_event(drawn, &verilated), by_bytes);
    by_room += by_bytes != unlimited ? 1 : 0;
  }
  EXPECT_GT(by_room, 30);
}

/// Feeds a unit random beats for a while, as often as not, and reads them as often as not: it and
/// registers of the same depth are valid and ready in the same cycles, and what comes out is what
/// the beat that went in comes to.
/// @param put  puts a random beat at the input, and says what it comes to
/// @param get  what is at the output
template <class Unit, class Put, class Get>
void expect_beats(Dice& dice, Unit& unit, std::int64_t depth, const Put& put, const Get& get) {
  constexpr int kClocks = 60;
  ElasticRegisters registers(depth);
  std::deque<std::vector<std::uint32_t>> inside;
  for (int clock = 0; clock < kClocks; ++clock) {
    const bool offers = dice.between(0, 1) == 0;
    const bool next_is_ready = dice.between(0, 1) == 0;
    ASSERT_EQ(unit.valid(), registers.valid());
    ASSERT_EQ(unit.ready(next_is_ready), registers.ready(next_is_ready));
    if (unit.valid() && next_is_ready) {
      ASSERT_FALSE(inside.empty());
      ASSERT_EQ(get(unit.circuit), inside.front());
      inside.pop_front();
    }
    const bool takes = offers && unit.ready(next_is_ready);
    const std::vector<std::uint32_t> expected = put(unit.circuit, dice);
    if (takes) inside.push_back(expected);
    unit.clock(takes, next_is_ready);
    registers.clock(takes, next_is_ready);
  }
}

constexpr std::int64_t kValueBits = 16;

/// The n of m places that hold a value.
std::vector<std::uint32_t> draw_places(Dice& dice, std::int64_t n, std::int64_t m) {
  std::set<std::uint32_t> places;
  while (std::ssize(places) < n) places.insert(static_cast<std::uint32_t>(dice.between(0, m - 1)));
  return {places.begin(), places.end()};
}
template <class Port>
std::vector<std::uint32_t> fields(const Port& port, std::int64_t n, std::int64_t bits) {
  std::vector<std::uint32_t> all;
  for (std::int64_t at = 0; at < n; ++at) all.push_back(get(port, at * bits, bits));
  return all;
}

/// Random groups of a selector.
template <class Circuit>
void expect_selection(std::int64_t n, std::int64_t m, std::int64_t place_bits, bool is_ordered,
                      std::int64_t depth) {
  VerilatedUnit<Circuit> unit(depth);
  for (std::uint64_t seed = seed_or(66'200); seed < seed_or(66'200) + kDrawn / 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    unit.reset();
    const auto put_group = [&](Circuit& circuit, Dice& values) {
      std::vector<std::uint32_t> group;
      for (std::int64_t at = 0; at < m; ++at) {
        group.push_back(static_cast<std::uint32_t>(values.between(0, 65535)));
        put(circuit.b, at * kValueBits, kValueBits, group.back());
      }
      std::vector<std::uint32_t> selected;
      for (const std::uint32_t place : draw_places(values, n, m)) {
        const auto slot = std::ssize(selected);
        const std::uint32_t from = is_ordered ? static_cast<std::uint32_t>(slot) : 0;
        put(circuit.places, slot * place_bits, place_bits, place - from);
        selected.push_back(group[place]);
      }
      return selected;
    };
    expect_beats(dice, unit, depth, put_group,
                 [&](const Circuit& circuit) { return fields(circuit.selected, n, kValueBits); });
  }
}

TEST(Clocked, SelectorsGiveWhatCameInInOrder) {
  expect_selection<Vclocked_crossbar>(2, 4, 2, false, kOfCrossbar);
  expect_selection<Vclocked_ordered>(4, 8, 3, true, kOfOrdered);
}

/// Random metadata of a decoder.
template <class Circuit>
void expect_decoding(std::int64_t n, std::int64_t m, bool is_mask, std::int64_t depth) {
  const std::int64_t place_bits = m == 4 ? 2 : 3;
  VerilatedUnit<Circuit> unit(depth);
  for (std::uint64_t seed = seed_or(66'600); seed < seed_or(66'600) + kDrawn / 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    unit.reset();
    const auto put_metadata = [&](Circuit& circuit, Dice& values) {
      const std::vector<std::uint32_t> places = draw_places(values, n, m);
      put(circuit.metadata, 0, is_mask ? m : n * place_bits, 0);
      for (std::size_t slot = 0; slot < places.size(); ++slot) {
        if (is_mask) {
          put(circuit.metadata, places[slot], 1, 1);
        } else {
          put(circuit.metadata, static_cast<std::int64_t>(slot) * place_bits, place_bits,
              places[slot]);
        }
      }
      return places;
    };
    expect_beats(dice, unit, depth, put_metadata,
                 [&](const Circuit& circuit) { return fields(circuit.places, n, place_bits); });
  }
}

TEST(Clocked, DecodersGiveWhatCameInInOrder) {
  expect_decoding<Vclocked_index>(2, 4, false, kOfIndex);
  expect_decoding<Vclocked_mask>(4, 8, true, kOfMask);
}

/// A queue of five words, which takes a sixth in the clock in which the first one leaves.
TEST(Clocked, MetadataBufferHoldsWordsInOrder) {
  constexpr std::int64_t kEntries = 5;
  VerilatedUnit<Vmetadata_buffer> unit(kEntries);
  Dice dice(seed_or(66'900));
  std::deque<std::uint32_t> held;
  int full = 0;
  for (int clock = 0; clock < 5000; ++clock) {
    const bool next_is_ready = dice.between(0, 99) < (clock / 500 % 2 == 0 ? 30 : 70);
    const bool gives = next_is_ready && !held.empty();
    ASSERT_EQ(unit.valid(), !held.empty());
    ASSERT_EQ(unit.ready(next_is_ready), std::ssize(held) < kEntries || gives);
    full += std::ssize(held) == kEntries ? 1 : 0;
    if (gives) {
      ASSERT_EQ(get(unit.circuit.out_data, 0, 32), held.front());
      held.pop_front();
    }
    const bool takes = dice.between(0, 1) == 0 && std::ssize(held) < kEntries;
    const auto word = static_cast<std::uint32_t>(dice.between(0, 1 << 30));
    put(unit.circuit.in_data, 0, 32, word);
    if (takes) held.push_back(word);
    unit.clock(takes, next_is_ready);
  }
  EXPECT_GT(full, 100);
}

/// Decoder and selector of one group with their clocks: a beat goes in and comes out when it does.
class ClockedSelection final : public SelectionCircuit {
 public:
  explicit ClockedSelection(bool is_verilated) : is_verilated_(is_verilated) {}
  void decode(std::span<const std::uint32_t> metadata, std::span<std::int32_t> places) override {
    put(decoder_.circuit.metadata, 0, 4, metadata.front());
    pass(decoder_);
    for (std::size_t slot = 0; slot < places.size(); ++slot) {
      const std::uint32_t place = get(decoder_.circuit.places, 2 * std::int64_t(slot), 2);
      places[slot] = static_cast<std::int32_t>(place);
    }
  }
  void select(std::span<const std::uint32_t> group, std::span<const std::int32_t> places,
              std::span<std::uint32_t> selected) override {
    for (std::size_t at = 0; at < group.size(); ++at) {
      put(selector_.circuit.b, kValueBits * std::int64_t(at), kValueBits, group[at]);
    }
    for (std::size_t slot = 0; slot < places.size(); ++slot) {
      put(selector_.circuit.places, 2 * std::int64_t(slot), 2,
          static_cast<std::uint32_t>(places[slot]));
    }
    pass(selector_);
    for (std::size_t slot = 0; slot < selected.size(); ++slot) {
      selected[slot] = get(selector_.circuit.selected, kValueBits * std::int64_t(slot), kValueBits);
    }
  }
  ClockedUnit* clocked(const UnitKind& stage) override {
    if (&stage == &MetadataBuffer::kKind) return nullptr;
    const bool is_decoder = &stage == &MetadataDecoder::kKind;
    if (!is_verilated_) {
      units_.push_back(std::make_unique<ElasticRegisters>(is_decoder ? kOfIndex : kOfCrossbar));
    } else if (is_decoder) {
      units_.push_back(std::make_unique<VerilatedUnit<Vclocked_index>>(kOfIndex));
    } else {
      units_.push_back(std::make_unique<VerilatedUnit<Vclocked_crossbar>>(kOfCrossbar));
    }
    return units_.back().get();
  }

 private:
  template <class Unit>
  static void pass(Unit& unit) {
    for (bool takes = true; !unit.valid() || takes; takes = false) unit.clock(takes, true);
  }

  bool is_verilated_;
  VerilatedUnit<Vclocked_index> decoder_{kOfIndex};
  VerilatedUnit<Vclocked_crossbar> selector_{kOfCrossbar};
  std::vector<std::unique_ptr<ClockedUnit>> units_;
};

/// Random GEMMs: C is right, and takes the cycles that it takes with registers of the same depth.
TEST(Clocked, SelectsTheOperandsOfGemms) {
  constexpr std::uint64_t kGemms = 13;
  std::vector<SelectionCase> drawn;  // machines have to be built before the first run
  for (std::uint64_t seed = seed_or(78); seed < seed_or(78) + kGemms; ++seed) {
    drawn.push_back(draw_selection_case(seed, SelectorKind{{2, 4}, "index"}));
  }
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  for (SelectionCase& one : drawn) {
    SCOPED_TRACE(one.text);
    std::vector<FunctionalRun> runs;
    for (const bool is_verilated : {false, true}) {
      ClockedSelection selection(is_verilated);
      one.operands.circuit = &selection;
      runs.push_back(run_gemm_with_values(*one.runner, one.problem, policy, {}, one.operands));
      EXPECT_EQ(runs.back().check.mismatches, 0) << runs.back().check.first_mismatch;
    }
    EXPECT_EQ(runs.front().run.result, runs.back().run.result);
    one.operands.circuit = nullptr;
    const FunctionalRun without =
        run_gemm_with_values(*one.runner, one.problem, policy, {}, one.operands);
    EXPECT_GT(runs.front().run.result.cycles, without.run.result.cycles);
  }
}

}  // namespace
}  // namespace stcsim::test
