#include "sim/cost/cost_table.hpp"

#include <algorithm>

namespace stcsim {
namespace {

/// The entry of that type, else the one of all types.
template <class What>
std::optional<double> value_of(const std::vector<CostEntry<What>>& entries, What what,
                               std::optional<DataType> dtype) {
  const auto find = [&](std::optional<DataType> of) {
    return std::find_if(entries.begin(), entries.end(), [&](const CostEntry<What>& entry) {
      return entry.what == what && entry.dtype == of;
    });
  };
  auto found = find(dtype);
  if (found == entries.end()) found = find(std::nullopt);
  if (found == entries.end()) return std::nullopt;
  return found->value;
}

}  // namespace

const std::array<CostName<Action>, kActionCount> kActionNames{{
    {Action::mac, "multipliers", "mac", "a multiply-accumulate"},
    {Action::idle_mac, "multipliers", "idle", "a multiplier that has nothing to do, a cycle"},
    {Action::selector_mux, "operand_selector", "mux",
     "a 2-input multiplexer of one bit that a value passes"},
    {Action::metadata_byte, "metadata_buffer", "byte", "a byte of metadata, filled in"},
    {Action::decode, "metadata_buffer", "decode", "the position of a kept value, decoded"},
    {Action::register_byte, "register_file", "byte", "a byte of A, B or metadata, read"},
    {Action::accumulator_byte, "register_file", "accumulator_byte",
     "a byte of accumulators, read or written"},
    {Action::shared_read_byte, "shared_memory", "read_byte", "a byte read"},
    {Action::shared_write_byte, "shared_memory", "write_byte", "a byte written"},
    {Action::bus_byte, "memory_bus", "byte", "a byte between the SMs and the L2 cache"},
    {Action::l2_read_byte, "l2_cache", "read_byte", "a byte read"},
    {Action::l2_write_byte, "l2_cache", "write_byte", "a byte written"},
    {Action::stored_byte, "epilogue", "byte", "a byte of results, converted and stored"},
    {Action::dram_read_byte, "dram", "read_byte", "a byte read"},
    {Action::dram_write_byte, "dram", "write_byte", "a byte written"},
    {Action::sm_cycle, "static", "sm_cycle", "leakage and what is drawn idle, an SM and a cycle"},
}};

const std::array<CostName<Part>, kPartCount> kPartNames{{
    {Part::multiplier, "multipliers", "mac", "a multiplier with its adder"},
    {Part::selector_mux, "operand_selector", "mux", "a 2-input multiplexer of one bit"},
    {Part::selector_port_byte, "operand_selector", "port_byte", "a byte/clk of its input"},
    {Part::metadata_byte, "metadata_buffer", "byte", "a byte it holds"},
    {Part::register_byte, "register_file", "byte", "a byte it holds"},
    {Part::register_port_byte, "register_file", "port_byte", "a byte/clk to or from tensor cores"},
    {Part::vector_lane, "vector_unit", "lane", "a lane"},
    {Part::sub_core, "sub_core", "control", "fetch, decode and schedule of one sub-core"},
    {Part::shared_byte, "shared_memory", "byte", "a byte it holds"},
    {Part::shared_port_byte, "shared_memory", "port_byte", "a byte/clk of its ports"},
    {Part::bus_port_byte, "memory_bus", "port_byte", "a byte/clk of an SM's port"},
    {Part::l2_byte, "l2_cache", "byte", "a byte it holds"},
    {Part::l2_port_byte, "l2_cache", "port_byte", "a byte/clk of its slices"},
    {Part::dram_gb_per_s, "dram", "gb_per_s", "10^9 bytes/s of its interface"},
}};

const CostName<Action>& name_of(Action action) {
  return kActionNames.at(static_cast<std::size_t>(action));
}

const CostName<Part>& name_of(Part part) {
  return kPartNames.at(static_cast<std::size_t>(part));
}

std::optional<double> CostTable::picojoules(Action action, DataType dtype) const {
  return value_of(energies, action, dtype);
}

std::optional<double> CostTable::square_micrometres(Part part,
                                                    std::optional<DataType> dtype) const {
  return value_of(areas, part, dtype);
}

}  // namespace stcsim
