#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim::rtl {

/// The places of a group that the multiplexer of a slot chooses from. Crossbar: all; ordered: slot
/// i those from i to i + m - n, as places are in ascending order; window: as many as `inputs`,
/// which the group passes part by part; butterfly: of n middle wires, wire j chooses from those j
/// modulo n, and behind them are ranks in which a wire keeps its value or takes that 2^rank away.
enum class Lanes : std::uint8_t { crossbar, ordered, window, butterfly };

/// Two ways to write a multiplexer, of which synthesis makes different gates.
enum class Style : std::uint8_t { cases, part_select };

/// A selector of one group for one multiplier column: m values in, n out. Combinational.
struct Selector {
  Pattern pattern;
  std::int64_t value_bits = 16;
  Lanes lanes = Lanes::crossbar;
  /// Of a window.
  std::int64_t inputs = 0;
  Style style = Style::cases;
};

/// Bits that a module takes, or gives.
struct Port {
  std::string name;
  std::int64_t bits = 0;
};
struct Ports {
  std::vector<Port> inputs;
  Port output;
};

/// Values that come in, and bits of the place of one that goes out: of a composed pattern those of
/// the block, then those inside it.
[[nodiscard]] std::int64_t inputs_of(const Selector& selector);
[[nodiscard]] std::int64_t place_bits_of(const Selector& selector);

/// Of the modules below.
[[nodiscard]] Ports selector_ports(const Selector& selector);
[[nodiscard]] Ports decoder_ports(Pattern pattern, MetadataFormat format);

/// Verilog of a module `name`: inputs `b` (the first value in the lowest bits) and `places` (slot
/// after slot; counted from the first place that the slot can see), output `selected`.
/// Where pairs are kept, a value is a pair. A butterfly's `places` are those of its middle wires
/// over n, then a bit for each wire of each rank: whether it takes the other's value.
/// Throws ConfigError for what no such circuit exists: other lanes than crossbars of composed
/// patterns, a butterfly unless n is a power of two that divides m.
[[nodiscard]] std::string selector_verilog(const std::string& name, const Selector& selector);

/// Verilog of a module `name` that turns the metadata of one group (as models/functional's codec
/// lays them out) into places: input `metadata`, output `places`, ceil(log2 m) bits for each slot.
/// Throws ConfigError for a composed pattern, or more choices than a table of them may have.
[[nodiscard]] std::string decoder_verilog(const std::string& name, Pattern pattern,
                                          MetadataFormat format);

}  // namespace stcsim::rtl
