#include "models/collectives/collective.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace stcsim {
namespace {

constexpr double kBytesPerUs = 1000;  // of a GB/s

double rounds_of(CollectiveOp op) {
  return op == CollectiveOp::all_reduce ? 2 : 1;
}

/// All nodes' links together have the pace of the slowest: NICs of a node carry its rings' sum.
double ring_us(const LinksConfig& links, const ProtocolConfig& protocol, const Collective& what) {
  const auto gpus = static_cast<double>(what.gpus);
  const double steps = rounds_of(what.op) * (gpus - 1);
  double pace = links.gb_per_s * protocol.share;
  double us = protocol.base_us + steps * protocol.step_us;
  if (what.nodes > 1) {
    const NetworkLinksConfig& between = *links.between_nodes;
    pace = std::min(pace, between.gb_per_s * between.share);
    us += rounds_of(what.op) * static_cast<double>(what.nodes) * between.step_us;
  }
  const double own = 1 / links.own_gb_per_s;
  return us + what.bytes / gpus * (steps / pace + own) / kBytesPerUs;
}

bool sums_in_switch(const LinksConfig& links, const Collective& what) {
  return what.op == CollectiveOp::all_reduce && links.nvls &&
         what.gpus / what.nodes >= links.nvls_least_gpus;
}

double nvls_us_per_byte(const LinksConfig& links, double gpus_of_node) {
  return (1 + 1 / gpus_of_node) / (links.gb_per_s * links.nvls->share * kBytesPerUs);
}

double nvls_us(const LinksConfig& links, const Collective& what) {
  return links.nvls->base_us + what.bytes * nvls_us_per_byte(links, static_cast<double>(what.gpus));
}

/// All-reduce over several nodes.
double tree_us(const LinksConfig& links, const Collective& what, bool with_switch) {
  const NetworkLinksConfig& between = *links.between_nodes;
  const double in_node = static_cast<double>(what.gpus) / static_cast<double>(what.nodes);
  const auto depth =
      static_cast<double>(std::bit_width(static_cast<std::uint64_t>(what.nodes - 1)));
  const double passes = what.nodes == 2 ? 1 : 2;
  const double network = passes / (between.gb_per_s * between.share * kBytesPerUs);
  const ProtocolConfig& chain = links.simple;
  const double inside = with_switch ? nvls_us_per_byte(links, in_node)
                                    : 2 / (links.gb_per_s * chain.share * kBytesPerUs);
  const double base =
      with_switch ? links.nvls->base_us : chain.base_us + 2 * (in_node - 1) * chain.step_us;
  return base + 2 * depth * between.step_us + what.bytes * std::max(network, inside);
}

void keep_faster(CollectiveTime& best, double us, std::string_view way) {
  if (best.us == 0 || us < best.us) best = {us, way};
}

}  // namespace

CollectiveTime collective_time(const LinksConfig& links, const Collective& what) {
  if (what.gpus <= 1 || what.bytes <= 0) return {};
  if (what.nodes > 1 && !links.between_nodes) {
    throw std::invalid_argument("the system has no links between nodes");
  }
  CollectiveTime best;
  if (links.ll) keep_faster(best, ring_us(links, *links.ll, what), "ring, ll");
  if (links.ll128) keep_faster(best, ring_us(links, *links.ll128, what), "ring, ll128");
  keep_faster(best, ring_us(links, links.simple, what), "ring, simple");
  const bool with_switch = sums_in_switch(links, what);
  if (what.nodes == 1) {
    if (with_switch) keep_faster(best, nvls_us(links, what), "nvls");
  } else if (what.op == CollectiveOp::all_reduce) {
    keep_faster(best, tree_us(links, what, with_switch), with_switch ? "nvls tree" : "tree");
  }
  return best;
}

double bus_gb_per_s(const Collective& what, double us) {
  const auto gpus = static_cast<double>(what.gpus);
  return rounds_of(what.op) * (gpus - 1) / gpus * what.bytes / us / kBytesPerUs;
}

}  // namespace stcsim
