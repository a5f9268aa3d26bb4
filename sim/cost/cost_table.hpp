#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"

namespace stcsim {

/// What energy is spent on. Every one is counted exactly (launch_cost.hpp).
enum class Action : std::uint8_t {
  mac,
  idle_mac,
  selector_mux,
  metadata_byte,
  decode,
  register_byte,
  accumulator_byte,
  shared_read_byte,
  shared_write_byte,
  bus_byte,
  l2_read_byte,
  l2_write_byte,
  stored_byte,
  dram_read_byte,
  dram_write_byte,
  sm_cycle
};

/// What area is spent on.
enum class Part : std::uint8_t {
  multiplier,
  selector_mux,
  selector_port_byte,
  metadata_byte,
  register_byte,
  register_port_byte,
  vector_lane,
  sub_core,
  shared_byte,
  shared_port_byte,
  bus_port_byte,
  l2_byte,
  l2_port_byte,
  dram_gb_per_s
};

/// How a table of costs calls an action or a part: a unit of the block diagram, and what it does or
/// consists of.
template <class What>
struct CostName {
  What what;
  std::string_view unit;
  std::string_view name;
  /// Of one of them, in words.
  std::string_view help;
};

inline constexpr std::size_t kActionCount = 16;
inline constexpr std::size_t kPartCount = 14;
/// In the order of the enumerations, which is that of outputs.
extern const std::array<CostName<Action>, kActionCount> kActionNames;
extern const std::array<CostName<Part>, kPartCount> kPartNames;
[[nodiscard]] const CostName<Action>& name_of(Action action);
[[nodiscard]] const CostName<Part>& name_of(Part part);

/// One figure of a table.
template <class What>
struct CostEntry {
  What what;
  /// Only of operands of this type; nothing: of all that have no entry of their own.
  std::optional<DataType> dtype;
  /// Picojoules, or square micrometres.
  double value = 0;
  /// Where it is from, and how it was derived.
  std::string source;

  friend bool operator==(const CostEntry&, const CostEntry&) = default;
};
using ActionEnergy = CostEntry<Action>;
using PartArea = CostEntry<Part>;

/// What energies of a table mean.
enum class CostBasis : std::uint8_t {
  /// Picojoules of the table's own node. Comparable with each other, with other tables' only as
  /// ratios.
  own,
  /// There are none: what the machine file's `power` says its board draws.
  board
};

[[nodiscard]] constexpr std::string_view to_string(CostBasis basis) {
  return basis == CostBasis::own ? "own" : "board";
}

/// Energies and areas of one source (configs/costs/*.yaml).
struct CostTable {
  std::string name;
  std::string description;
  /// 0 if it does not say.
  std::int64_t node_nm = 0;
  CostBasis basis = CostBasis::own;
  std::vector<ActionEnergy> energies;
  std::vector<PartArea> areas;
  /// It was read from, for messages.
  std::string file = {};

  /// Nothing if the table does not say.
  [[nodiscard]] std::optional<double> picojoules(Action action, DataType dtype) const;
  [[nodiscard]] std::optional<double> square_micrometres(Part part,
                                                         std::optional<DataType> dtype = {}) const;

  friend bool operator==(const CostTable&, const CostTable&) = default;
};

/// The table that counts unless another is asked for: energies are what the machine's board draws,
/// areas those of the A100's chip.
inline constexpr const char* kDefaultCosts = "ga100_7nm";

/// The table of costs of that name or path, a file like those of configs/costs/.
/// @throws ConfigError with file:line:column
[[nodiscard]] CostTable load_costs(const std::string& name);

}  // namespace stcsim
