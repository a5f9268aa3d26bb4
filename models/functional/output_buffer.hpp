#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/functional/functional_kernel.hpp"

namespace stcsim {

/// C in global memory and, with split_k > 1, the workspace that holds every split's partial sums.
/// Keeps account of the CTA tiles, so that none is computed twice or left out.
class OutputBuffer {
 public:
  explicit OutputBuffer(const FunctionalKernel& kernel);

  /// A CTA starts on this tile. Throws SimulationError if the coordinates are not those of a tile
  /// of the problem, or another CTA had it before.
  void claim(const CtaCoordinates& cta);

  /// Writes a claimed tile's accumulators (tile_m rows of tile_n words): converted to the output
  /// type into C, or as they are into the workspace. Elements outside the problem are dropped.
  void store(const CtaCoordinates& cta, std::span<const std::uint32_t> tile);

  /// Adds the splits of the workspace in ascending order and writes C. Does nothing without
  /// split-K. Throws SimulationError if a tile has not been stored.
  void reduce_split_k();

  /// Throws SimulationError if a tile has not been stored or the splits have not been reduced.
  [[nodiscard]] const GlobalTensor& c() const;

 private:
  enum class TileState : std::uint8_t { untouched, claimed, stored };

  [[nodiscard]] std::size_t tile_index(const CtaCoordinates& cta) const;
  [[nodiscard]] std::uint32_t to_output(std::uint32_t accumulator) const;
  void require_all_stored() const;

  FunctionalKernel kernel_;
  GlobalTensor c_;
  std::vector<std::uint32_t> workspace_;  // split x (batch, row, column as in C)
  std::vector<TileState> tiles_;
  bool reduced_;
};

}  // namespace stcsim
