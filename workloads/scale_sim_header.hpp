#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/io/csv_table.hpp"

namespace stcsim {

using TopologyRow = std::vector<CsvField>;

/// What a column of a topology holds. `filters` to `n` are counts, all others as SCALE-Sim's
/// documentation names them.
enum class TopologyColumn : std::uint8_t {
  name,
  ifmap_height,
  ifmap_width,
  filter_height,
  filter_width,
  channels,
  filters,
  stride,
  second_stride,
  m,
  n,
  k,
  sparsity
};
inline constexpr std::size_t kTopologyColumns = 13;

/// The header of a topology: which column stands where. Names are taken as they are found in
/// published topologies: case, blanks and punctuation make no difference, and some have several
/// ("Strides", "Stride", "Stride height").
class TopologyHeader {
 public:
  /// @throws ConfigError at a column that is unknown or there twice; at the header if one that a
  ///         layer needs is not there, or if it looks like a layer
  explicit TopologyHeader(const TopologyRow& header);

  /// Whether layers are GEMMs (columns M, N and K), not convolutions.
  [[nodiscard]] bool is_gemms() const { return gemms_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Where a column stands; nothing if the header does not have it.
  [[nodiscard]] std::optional<std::size_t> find(TopologyColumn column) const {
    return places_.at(static_cast<std::size_t>(column));
  }

 private:
  void place(const CsvField& field, std::size_t at);
  void require_columns(const TopologyRow& header) const;

  bool gemms_ = false;
  std::size_t size_ = 0;
  std::array<std::optional<std::size_t>, kTopologyColumns> places_;
};

/// What messages call a column.
[[nodiscard]] std::string to_string(TopologyColumn column);

}  // namespace stcsim
