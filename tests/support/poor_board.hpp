#pragma once

#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim::test {

/// Of its two kernels the one of larger tiles wastes a quarter of the multiplications of
/// poor_board_problem(), and takes fewer bytes from shared memory. At one clock it is slower; a
/// board that cannot afford the bytes is faster with it.
/// @param limit_watts  of the board; 0: it has none
inline MachineConfig poor_board(double limit_watts) {
  MachineConfig machine = tiny_machine();
  machine.power.limit_watts = limit_watts;
  machine.power.idle_watts = 1;
  machine.power.mac_energy = {{DataType::fp16, 1.0}};
  machine.power.shared_memory_pj_per_byte = 1000;
  machine.power.voltage_floor = 1;
  machine.power.clock_step_mhz = 1;
  machine.accelerator.memory_bus.sm_read_bytes_per_clk = 256;
  machine.kernels = {make_kernel("small", false, 16, 32, 16, 4, 1, 1),
                     make_kernel("large", false, 32, 32, 16, 4, 1, 1)};
  return machine;
}

inline GemmProblem poor_board_problem() {
  return make_problem(48, 512, 1024);
}

}  // namespace stcsim::test
