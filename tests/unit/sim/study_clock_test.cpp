#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sim/run/machine_runner.hpp"
#include "sim/run/sustained_clock.hpp"
#include "sim/study/point_worker.hpp"
#include "sim/study/result_codec.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// A machine that draws watts: what a result says of these depends on the clock too.
MachineConfig drawing_machine() {
  MachineConfig machine = test::tiny_machine();
  machine.power.limit_watts = 100;
  machine.power.idle_watts = 1;
  machine.power.dram_pj_per_byte = 10;
  machine.power.voltage_floor = 0.5;
  return machine;
}

StudyPoint gemm_point(bool with_values) {
  StudyPoint point;
  point.gemm = test::make_problem(96, 64, 128);
  point.with_values = with_values;
  return point;
}

StudyPoint stream_point() {
  StudyPoint point;
  point.is_gemm = false;
  point.stream.read_bytes = 1 << 16;
  point.stream.write_bytes = 1 << 15;
  return point;
}

std::string all_points(MachineRunner& runner, double clock_mhz) {
  std::string runs;
  for (const StudyPoint& point : {gemm_point(false), stream_point(), gemm_point(true)}) {
    runner.set_clock(clock_mhz);
    runs += encode(run_point(runner, point, {}));
  }
  return runs;
}

/// A worker builds its machine once, and each of its points has a clock of its own: the run is, to
/// the last byte, that of a machine built for that clock.
TEST(StudyClock, ChangedIsAsGoodAsBuilt) {
  const MachineConfig machine = drawing_machine();
  const std::string own = test::in_own_process([&] {
    MachineRunner runner(machine);
    return all_points(runner, machine.clock_mhz);
  });
  for (const double clock_mhz : {machine.clock_mhz, 975.0, 510.0, 15.0}) {
    const std::string built = test::in_own_process([&] {
      MachineRunner runner(at_clock(machine, clock_mhz));
      return all_points(runner, clock_mhz);
    });
    const std::string changed = test::in_own_process([&] {
      MachineRunner runner(machine);
      (void)all_points(runner, machine.clock_mhz);
      (void)all_points(runner, 720.0);
      return all_points(runner, clock_mhz);
    });
    ASSERT_FALSE(built.starts_with("failed")) << built;
    EXPECT_EQ(changed, built) << clock_mhz << " MHz";
    EXPECT_EQ(clock_mhz == machine.clock_mhz, built == own) << clock_mhz << " MHz";
  }
}

}  // namespace
}  // namespace stcsim
