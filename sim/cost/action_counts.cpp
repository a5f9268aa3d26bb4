#include "sim/cost/action_counts.hpp"

#include <algorithm>

namespace stcsim {

ActionCounts action_counts(const MachineConfig& machine, const LaunchResult& launch) {
  ActionCounts counts{};
  const auto of = [&](Action action) -> std::int64_t& {
    return counts.at(static_cast<std::size_t>(action));
  };
  of(Action::mac) = launch.multiplier_macs;
  of(Action::idle_mac) = std::max<std::int64_t>(0, launch.peak_macs - launch.multiplier_macs);
  of(Action::selector_mux) = launch.actions.selector_muxes;
  of(Action::metadata_byte) = launch.actions.metadata_bytes;
  of(Action::decode) = launch.actions.decodes;
  of(Action::register_byte) = launch.actions.register_bytes;
  of(Action::accumulator_byte) = launch.actions.accumulator_bytes;
  of(Action::shared_read_byte) = launch.count("shared_memory_read_bytes");
  of(Action::shared_write_byte) = launch.count("shared_memory_write_bytes");
  of(Action::l2_read_byte) = launch.count("l2_read_bytes");
  of(Action::l2_write_byte) = launch.count("l2_write_bytes");
  of(Action::bus_byte) = of(Action::l2_read_byte) + of(Action::l2_write_byte);
  of(Action::stored_byte) = of(Action::l2_write_byte);
  of(Action::dram_read_byte) = launch.count("dram_read_bytes");
  of(Action::dram_write_byte) = launch.count("dram_write_bytes");
  of(Action::sm_cycle) = launch.cycles * machine.accelerator.num_sms;
  return counts;
}

}  // namespace stcsim
