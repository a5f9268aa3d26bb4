#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/config_field.hpp"

namespace stcsim {

namespace links_field {
constexpr Field us(std::string_view key, std::string_view help) {
  return field::of(key, "us", help).from(0, 1'000'000);
}
constexpr Field gb_per_s(std::string_view key, std::string_view help) {
  return field::of(key, "GB/s", help).from_real(0.001, 1'000'000);
}
constexpr Field share(std::string_view help) {
  return field::of("share", "share", help).from_real(0.001, 1).more_is(Effect::faster);
}
}  // namespace links_field

/// How one protocol of a library of collectives moves data over links, as NCCL's LL, LL128 and
/// Simple do: flags with every 8 or 128 bytes, or a handshake per chunk.
struct ProtocolConfig {
  double base_us = 0;
  double step_us = 0;
  double share = 1;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(links_field::us("base_us", "of every collective, launch included"), self.base_us);
    visitor.field(links_field::us("step_us", "of every step from one GPU to the next").optional(),
                  self.step_us);
    visitor.field(links_field::share("of a link's bandwidth that carries data"), self.share);
  }
};

/// Links between nodes.
struct NetworkLinksConfig {
  double gb_per_s = 0;
  double share = 1;
  double step_us = 0;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(links_field::gb_per_s("gb_per_s", "one way, of all network cards of a node"),
                  self.gb_per_s);
    visitor.field(links_field::share("of that which carries data"), self.share);
    visitor.field(links_field::us("step_us", "of a step from node to node"), self.step_us);
  }
};

/// Links of a system in two tiers, inside nodes and between them, and the library's protocols.
struct LinksConfig {
  double gb_per_s = 0;
  double own_gb_per_s = 0;
  std::optional<ProtocolConfig> ll;
  std::optional<ProtocolConfig> ll128;
  ProtocolConfig simple;
  /// Sums that the switch makes (NVLink SHARP), without steps from GPU to GPU.
  std::optional<ProtocolConfig> nvls;
  std::int64_t nvls_least_gpus = 8;
  std::optional<NetworkLinksConfig> between_nodes;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(links_field::gb_per_s("gb_per_s", "one way, of a GPU's links inside a node"),
                  self.gb_per_s);
    visitor.field(
        links_field::gb_per_s("own_gb_per_s", "of a GPU's own part, from input to output"),
        self.own_gb_per_s);
    visitor.field(field::map("ll", "protocol with a flag per 8 bytes").optional("none"), self.ll);
    visitor.field(field::map("ll128", "protocol with a flag per 128 bytes").optional("none"),
                  self.ll128);
    visitor.field(field::map("simple", "protocol with a handshake per chunk"), self.simple);
    visitor.field(field::map("nvls", "sums in the switch, of all-reduce only").optional("none"),
                  self.nvls);
    visitor.field(field::count("nvls_least_gpus", "of a node from which on it is used").optional(),
                  self.nvls_least_gpus);
    visitor.field(
        field::map("between_nodes", "the second tier; else there is one node").optional("none"),
        self.between_nodes);
  }
};

}  // namespace stcsim
