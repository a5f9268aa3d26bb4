#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/config_field.hpp"
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

template <class What>
inline constexpr bool kIsEnergy = std::is_same_v<What, Action>;
/// What files call the key that names what costs.
template <class What>
inline constexpr std::string_view kWhatKey = kIsEnergy<What> ? "action" : "part";

/// One figure of a table.
template <class What>
struct CostEntry {
  /// As CostName has them.
  std::string unit;
  std::string name;
  /// Only of operands of this type; nothing: of all that have no entry of their own.
  std::optional<DataType> dtype;
  /// Picojoules, or square micrometres.
  double value = 0;
  /// Where it is from, and how it was derived.
  std::string source;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    visitor.field(field::text("unit", "of the block diagram"), self.unit);
    visitor.field(
        field::text(kWhatKey<What>, kIsEnergy<What> ? "what it does" : "what it consists of"),
        self.name);
    visitor.field(
        field::type("dtype", "only of operands of this type", operand_data_types()).optional("all"),
        self.dtype);
    visitor.field(
        field::of(kIsEnergy<What> ? "pj" : "um2", kIsEnergy<What> ? "pJ" : "um^2", "of one")
            .from(0, kMost),
        self.value);
    visitor.field(field::text("source", "where it is from, and how it was derived"), self.source);
  }
  friend bool operator==(const CostEntry&, const CostEntry&) = default;
};

/// How fast the process is.
struct LogicSpeed {
  /// A level of logic takes so long, a gate of rtl/unit.genlib with its wire,
  double ps_per_level = 0;
  /// and a register with the clock's skew and jitter so much of each cycle.
  double register_ps = 0;
  std::string source;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::of("ps_per_level", "ps, a number", "of a gate, its wire included").above(0, 100'000),
        self.ps_per_level);
    visitor.field(field::of("register_ps", "ps, a number",
                            "of a cycle that a register takes, with skew and jitter of the clock")
                      .from(0, 100'000),
                  self.register_ps);
    visitor.field(field::text("source", "where it is from, and how it was derived"), self.source);
  }
  friend bool operator==(const LogicSpeed&, const LogicSpeed&) = default;
};

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
  std::vector<CostEntry<Action>> energies;
  std::vector<CostEntry<Part>> areas;
  std::optional<LogicSpeed> logic = {};
  /// It was read from, for messages.
  std::string file = {};

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "what results call it"), self.name);
    visitor.field(field::optional_text("description", "one line, for `stcsim list costs`"),
                  self.description, "");
    visitor.field(field::of("node_nm", "nm", "of the process").from(1, 1000).optional("unknown"),
                  self.node_nm);
    visitor.field(field::one_of("basis",
                                "`own`: picojoules of this file's node, comparable with each "
                                "other; `board`: what the machine's `power` says its board draws",
                                CostBasis::board)
                      .optional(),
                  self.basis);
    visitor.field(field::list("energy", "figures of actions").optional("none"), self.energies);
    visitor.field(field::list("area", "figures of parts").optional("none"), self.areas);
    visitor.field(field::map("logic", "how many levels of logic fit a cycle").optional("none"),
                  self.logic);
  }

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
