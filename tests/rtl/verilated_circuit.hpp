#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <verilated.h>

#include "common/pattern.hpp"
#include "models/functional/selection_circuit.hpp"

namespace stcsim::test {

inline constexpr std::int64_t kPortWord = 32;

/// Bits of a port: verilator makes it a word, or several.
template <class Port>
[[nodiscard]] std::uint32_t port_bit(const Port& port, std::int64_t at) {
  if constexpr (requires { port[0]; }) {
    return (port[at / kPortWord] >> static_cast<std::uint32_t>(at % kPortWord)) & 1U;
  } else {
    return static_cast<std::uint32_t>(std::uint64_t{port} >> static_cast<std::uint64_t>(at)) & 1U;
  }
}
template <class Port>
void set_port_bit(Port& port, std::int64_t at, std::uint32_t bit) {
  if (port_bit(port, at) == bit) return;
  if constexpr (requires { port[0]; }) {
    port[at / kPortWord] ^= 1U << static_cast<std::uint32_t>(at % kPortWord);
  } else {
    const std::uint64_t flipped =
        std::uint64_t{port} ^ (std::uint64_t{1} << static_cast<std::uint64_t>(at));
    port = static_cast<Port>(flipped);
  }
}
template <class Port>
void put(Port& port, std::int64_t first, std::int64_t bits, std::uint32_t value) {
  for (std::int64_t at = 0; at < bits; ++at) {
    set_port_bit(port, first + at, (value >> static_cast<std::uint32_t>(at)) & 1U);
  }
}
template <class Port>
[[nodiscard]] std::uint32_t get(const Port& port, std::int64_t first, std::int64_t bits) {
  std::uint32_t value = 0;
  for (std::int64_t at = 0; at < bits; ++at) {
    value |= port_bit(port, first + at) << static_cast<std::uint32_t>(at);
  }
  return value;
}

/// A verilated selector and decoder. What has to be known of them is how wide a place is at the
/// selector and at the decoder, how wide metadata are, and whether slot i counts places from i on.
template <class Selector, class Decoder>
class VerilatedCircuit final : public SelectionCircuit {
 public:
  struct Widths {
    std::int64_t selector_place = 0;
    std::int64_t decoder_place = 0;
    std::int64_t metadata = 0;
    bool is_ordered = false;
  };
  explicit VerilatedCircuit(const Widths& widths) : widths_(widths) {}

  void decode(std::span<const std::uint32_t> metadata, std::span<std::int32_t> places) override {
    put(decoder_.metadata, 0, widths_.metadata, metadata.front());
    decoder_.eval();
    for (std::size_t slot = 0; slot < places.size(); ++slot) {
      places[slot] = static_cast<std::int32_t>(
          get(decoder_.places, static_cast<std::int64_t>(slot) * widths_.decoder_place,
              widths_.decoder_place));
    }
  }
  void select(std::span<const std::uint32_t> group, std::span<const std::int32_t> places,
              std::span<std::uint32_t> selected) override {
    for (std::size_t at = 0; at < group.size(); ++at) {
      put(selector_.b, static_cast<std::int64_t>(at) * kValue, kValue, group[at]);
    }
    for (std::size_t slot = 0; slot < places.size(); ++slot) {
      const auto first = static_cast<std::int64_t>(slot);
      const std::int64_t place = places[slot] - (widths_.is_ordered ? first : 0);
      put(selector_.places, first * widths_.selector_place, widths_.selector_place,
          static_cast<std::uint32_t>(place));
    }
    selector_.eval();
    for (std::size_t slot = 0; slot < selected.size(); ++slot) {
      selected[slot] = get(selector_.selected, static_cast<std::int64_t>(slot) * kValue, kValue);
    }
    ++selections_;
  }
  [[nodiscard]] std::int64_t selections() const { return selections_; }

 private:
  static constexpr std::int64_t kValue = 16;

  Widths widths_;
  Selector selector_;
  Decoder decoder_;
  std::int64_t selections_ = 0;
};

}  // namespace stcsim::test
