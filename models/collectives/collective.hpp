#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/collectives/links_config.hpp"

namespace stcsim {

enum class CollectiveOp : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };

[[nodiscard]] constexpr std::string_view to_string(CollectiveOp op) {
  constexpr std::array<std::string_view, 4> kNames{"all_reduce", "all_gather", "reduce_scatter",
                                                   "all_to_all"};
  return kNames.at(static_cast<std::size_t>(op));
}

/// What GPUs exchange at once: `gpus` in `nodes` equal nodes.
struct Collective {
  CollectiveOp op = CollectiveOp::all_reduce;
  /// Of the whole: an all-gather's output, a reduce-scatter's input.
  double bytes = 0;
  std::int64_t gpus = 1;
  std::int64_t nodes = 1;
};

struct CollectiveTime {
  double us = 0;
  /// "ring" or "tree" (NCCL's algorithms) with the protocol, "nvls", "nvls tree".
  std::string_view way = "none";
};

/// How long it takes, in the fastest way there is:
///
///   ring:  base + s step + bytes/n (s/(link share) + 1/own), s = n - 1 steps, all-reduce twice
///          that. An all-gather (reduce-scatter) of n parts passes n - 1 of them on; its own part
///          it copies. "Massively Scale Your Deep Learning Training with NCCL 2.4", 2019; NCCL,
///          docs/PERFORMANCE.md of nccl-tests (bus bandwidth).
///          Over nodes, the slowest link of the ring sets its pace, and each node adds a step.
///   nvls:  base + bytes (1 + 1/n) / (link share): every GPU sends all of its data to the switch
///          once, and the sum of one part back.
///   tree:  between nodes, all-reduce only: log2(nodes) steps up and down, inside nodes a chain (or
///          nvls). Two complementary trees (Sanders, Speck, Traeff 2009): over two nodes each sends
///          the data once, over more twice.
///
/// bytes/us = 1000 GB/s. One GPU needs no time.
/// @throws std::invalid_argument for several nodes without links between them
[[nodiscard]] CollectiveTime collective_time(const LinksConfig& links, const Collective& what);

/// Bytes over the time that the slowest link would need at full use: 2 (n-1)/n bytes / us of an
/// all-reduce, (n-1)/n of others; GB/s.
[[nodiscard]] double bus_gb_per_s(const Collective& what, double us);

}  // namespace stcsim
