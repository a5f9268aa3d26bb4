#include "rtl/verilog.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"

namespace stcsim::rtl {
namespace {

/// So many choices at most are written down as a table.
constexpr std::int64_t kMostChoices = 4096;

/// Bits that tell so many things apart, at least one.
std::int64_t bits_for(std::int64_t things) {
  std::int64_t bits = 1;
  while ((std::int64_t{1} << bits) < things) ++bits;
  return bits;
}

/// Granules of a group: what is selected.
Pattern granules_of(Pattern pattern) {
  return pattern.is_composed() ? pattern : pattern.of_granules();
}

std::int64_t unit_bits(const Selector& selector) {
  return selector.value_bits * (selector.pattern.is_composed() ? 1 : selector.pattern.granule);
}

std::string head(const std::string& name, const Ports& ports, bool is_reg) {
  std::string text = fmt::format("module {} (\n", name);
  for (const Port& input : ports.inputs) {
    text += fmt::format("  input  wire [{}:0] {},\n", input.bits - 1, input.name);
  }
  return text + fmt::format("  output {} [{}:0] {}\n);\n", is_reg ? "reg " : "wire",
                            ports.output.bits - 1, ports.output.name);
}

/// One multiplexer: `into` is that of the `inputs` values of `from`, the first at bit `low`, that
/// `place` names.
std::string multiplexer(Style style, const std::string& into, const std::string& from,
                        std::int64_t low, std::int64_t inputs, std::int64_t bits,
                        const std::string& place, std::int64_t place_bits) {
  if (inputs == 1) {
    return fmt::format("  assign {} = {}[{}:{}];\n", into, from, low + bits - 1, low);
  }
  if (style == Style::part_select) {
    const std::string offset = low == 0 ? "" : fmt::format("{} + ", low);
    return fmt::format("  assign {} = {}[{}{} * {} +: {}];\n", into, from, offset, place, bits,
                       bits);
  }
  std::string text = fmt::format("  always @* case ({})\n", place);
  for (std::int64_t at = 0; at < inputs; ++at) {
    const std::int64_t first = low + at * bits;
    text += fmt::format("    {}'d{}: {} = {}[{}:{}];\n", place_bits, at, into, from,
                        first + bits - 1, first);
  }
  return text + fmt::format("    default: {} = {}'b0;\n  endcase\n", into, bits);
}

std::string slice(const std::string& of, std::int64_t low, std::int64_t bits) {
  return fmt::format("{}[{}:{}]", of, low + bits - 1, low);
}

/// Blocks first, then the elements of each: two levels of multiplexers.
std::string composed_body(const Selector& selector) {
  const Pattern& pattern = selector.pattern;
  const Pattern blocks = pattern.of_granules();
  const std::int64_t bits = selector.value_bits;
  const std::int64_t block_bits = pattern.granule * bits;
  const std::int64_t of_block = bits_for(blocks.m);
  const std::int64_t inside = bits_for(pattern.granule);
  const bool is_case = selector.style == Style::cases;
  std::string text;
  for (std::int64_t block = 0; block < blocks.n; ++block) {
    const std::string name = fmt::format("block{}", block);
    const std::int64_t first = block * (of_block + pattern.kept_of_block * inside);
    text += fmt::format("  {} [{}:0] {};\n", is_case ? "reg" : "wire", block_bits - 1, name);
    text += multiplexer(selector.style, name, "b", 0, blocks.m, block_bits,
                        slice("places", first, of_block), of_block);
    for (std::int64_t kept = 0; kept < pattern.kept_of_block; ++kept) {
      const std::int64_t slot = block * pattern.kept_of_block + kept;
      text += multiplexer(selector.style, slice("selected", slot * bits, bits), name, 0,
                          pattern.granule, bits,
                          slice("places", first + of_block + kept * inside, inside), inside);
    }
  }
  return text;
}

std::string flat_body(const Selector& selector) {
  const Pattern granules = granules_of(selector.pattern);
  const std::int64_t bits = unit_bits(selector);
  const std::int64_t place_bits = place_bits_of(selector);
  const bool is_ordered = selector.lanes == Lanes::ordered;
  std::int64_t inputs = inputs_of(selector);
  if (is_ordered) inputs = granules.m - granules.n + 1;
  std::string text;
  for (std::int64_t slot = 0; slot < granules.n; ++slot) {
    const std::int64_t low = is_ordered ? slot * bits : 0;
    text += multiplexer(selector.style, slice("selected", slot * bits, bits), "b", low, inputs,
                        bits, slice("places", slot * place_bits, place_bits), place_bits);
  }
  return text;
}

/// Ranks behind the middle wires of a butterfly.
std::int64_t ranks_of(Pattern granules) {
  return granules.n > 1 ? bits_for(granules.n) : 0;
}

std::string butterfly_body(const Selector& selector) {
  const Pattern granules = granules_of(selector.pattern);
  const std::int64_t wires = granules.n;
  const std::int64_t bits = unit_bits(selector);
  const std::int64_t place_bits = place_bits_of(selector);
  const std::int64_t ranks = ranks_of(granules);
  const auto name_of = [&](std::int64_t rank) {
    return rank == ranks ? std::string("selected") : fmt::format("rank{}", rank);
  };
  std::string text;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    text += fmt::format("  wire [{}:0] rank{};\n", wires * bits - 1, rank);
  }
  for (std::int64_t wire = 0; wire < wires; ++wire) {
    text += fmt::format("  assign {} = b[({} * {} + {}) * {} +: {}];\n",
                        slice(name_of(0), wire * bits, bits),
                        slice("places", wire * place_bits, place_bits), wires, wire, bits, bits);
  }
  for (std::int64_t at = 0; at < ranks * wires; ++at) {
    const std::int64_t rank = at / wires;
    const std::int64_t wire = at % wires;
    const std::int64_t other = wire ^ (std::int64_t{1} << rank);
    text += fmt::format("  assign {} = places[{}] ? {} : {};\n",
                        slice(name_of(rank + 1), wire * bits, bits), wires * place_bits + at,
                        slice(name_of(rank), other * bits, bits),
                        slice(name_of(rank), wire * bits, bits));
  }
  return text;
}

/// All ways to keep n of m, in the order of their numbers: C(p0, 1) + C(p1, 2) + ...
std::vector<std::vector<std::int64_t>> choices_in_order(Pattern granules) {
  std::vector<std::vector<std::int64_t>> all;
  std::vector<std::int64_t> places(static_cast<std::size_t>(granules.n));
  for (std::size_t at = 0; at < places.size(); ++at) places[at] = static_cast<std::int64_t>(at);
  while (true) {
    all.push_back(places);
    std::size_t at = 0;  // the first that can go on before it meets the next
    while (at + 1 < places.size() && places[at] + 1 == places[at + 1]) ++at;
    if (at + 1 == places.size() && places[at] + 1 == granules.m) return all;
    ++places[at];
    for (std::size_t below = 0; below < at; ++below) {
      places[below] = static_cast<std::int64_t>(below);
    }
  }
}

std::string enumerated_body(Pattern granules, std::int64_t code_bits) {
  if (choices({granules.n, granules.m}).value_or(kMostChoices + 1) > kMostChoices) {
    throw ConfigError(fmt::format("{}:{} has more choices than the {} that a decoder's table holds",
                                  granules.n, granules.m, kMostChoices));
  }
  const std::int64_t place_bits = bits_for(granules.m);
  std::string text = "  always @* case (metadata)\n";
  std::int64_t code = 0;
  for (const std::vector<std::int64_t>& places : choices_in_order(granules)) {
    std::string fields;
    for (const std::int64_t place : places) {  // the first in the lowest bits
      fields = fmt::format("{}'d{}{}{}", place_bits, place, fields.empty() ? "" : ", ", fields);
    }
    text += fmt::format("    {}'d{}: places = {{{}}};\n", code_bits, code++, fields);
  }
  return text + fmt::format("    default: places = {}'b0;\n  endcase\n", granules.n * place_bits);
}

/// Slot i is the place of the i-th bit that is set.
std::string mask_body(Pattern granules) {
  const std::int64_t place_bits = bits_for(granules.m);
  return fmt::format(
      "  integer place, slot;\n"
      "  always @* begin\n"
      "    places = {}'b0;\n"
      "    slot = 0;\n"
      "    for (place = 0; place < {}; place = place + 1)\n"
      "      if (metadata[place] && slot < {}) begin\n"
      "        places[slot * {} +: {}] = place[{}:0];\n"
      "        slot = slot + 1;\n"
      "      end\n"
      "  end\n",
      granules.n * place_bits, granules.m, granules.n, place_bits, place_bits, place_bits - 1);
}

std::string index_body(Pattern granules, std::int64_t field_bits) {
  const std::int64_t place_bits = bits_for(granules.m);
  std::string text;
  for (std::int64_t slot = 0; slot < granules.n; ++slot) {
    text += fmt::format("  always @* {} = {};\n", slice("places", slot * place_bits, place_bits),
                        slice("metadata", slot * field_bits, place_bits));
  }
  return text;
}

}  // namespace

std::int64_t inputs_of(const Selector& selector) {
  const Pattern granules = granules_of(selector.pattern);
  if (selector.lanes == Lanes::window) return std::min(selector.inputs, granules.m);
  return granules.m;
}

std::int64_t place_bits_of(const Selector& selector) {
  const Pattern granules = granules_of(selector.pattern);
  if (selector.lanes == Lanes::ordered) return bits_for(granules.m - granules.n + 1);
  if (selector.lanes == Lanes::butterfly) return bits_for(ceil_div(granules.m, granules.n));
  return bits_for(inputs_of(selector));
}

Ports selector_ports(const Selector& selector) {
  const Pattern& pattern = selector.pattern;
  const Pattern granules = granules_of(pattern);
  if (pattern.is_composed()) {
    const Pattern blocks = pattern.of_granules();
    const std::int64_t place_bits =
        blocks.n * (bits_for(blocks.m) + pattern.kept_of_block * bits_for(pattern.granule));
    return {{{"b", pattern.m * selector.value_bits}, {"places", place_bits}},
            {"selected", pattern.n * selector.value_bits}};
  }
  const std::int64_t bits = unit_bits(selector);
  const bool is_butterfly = selector.lanes == Lanes::butterfly;
  const std::int64_t crossed = is_butterfly ? granules.n * ranks_of(granules) : 0;
  return {{{"b", inputs_of(selector) * bits},
           {"places", granules.n * place_bits_of(selector) + crossed}},
          {"selected", granules.n * bits}};
}

Ports decoder_ports(Pattern pattern, MetadataFormat format) {
  const Pattern granules = pattern.of_granules();
  return {{{"metadata", metadata_bits_per_group(pattern, format)}},
          {"places", granules.n * bits_for(granules.m)}};
}

std::string selector_verilog(const std::string& name, const Selector& selector) {
  const Pattern& pattern = selector.pattern;
  const bool is_case = selector.style == Style::cases;
  const bool is_butterfly = selector.lanes == Lanes::butterfly;
  const bool is_wire =
      !is_case || is_butterfly || (selector.lanes == Lanes::ordered && pattern.n == pattern.m);
  if (!pattern.is_composed()) {
    const Pattern granules = granules_of(pattern);
    const std::int64_t slots = granules.n;
    if (is_butterfly && ((slots & (slots - 1)) != 0 || granules.m % slots != 0)) {
      throw ConfigError("a butterfly keeps 1, 2, 4, ... of a group of so many times as many");
    }
    return head(name, selector_ports(selector), !is_wire) +
           (is_butterfly ? butterfly_body(selector) : flat_body(selector)) + "endmodule\n";
  }
  if (selector.lanes != Lanes::crossbar) {
    throw ConfigError("lanes of a composed pattern are crossbars of blocks and inside them");
  }
  return head(name, selector_ports(selector), !is_wire) + composed_body(selector) + "endmodule\n";
}

std::string decoder_verilog(const std::string& name, Pattern pattern, MetadataFormat format) {
  if (pattern.is_composed()) throw ConfigError("decoders are those of patterns of one level");
  const Pattern granules = pattern.of_granules();
  const std::int64_t bits = metadata_bits_per_group(pattern, format);
  std::string body;
  if (format.coding == MetadataCoding::enumerated) body = enumerated_body(granules, bits);
  if (format.coding == MetadataCoding::bitmask) body = mask_body(granules);
  if (format.coding == MetadataCoding::index) body = index_body(granules, bits / granules.n);
  return head(name, decoder_ports(pattern, format), true) + body + "endmodule\n";
}

}  // namespace stcsim::rtl
