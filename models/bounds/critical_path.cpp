#include "models/bounds/critical_path.hpp"

#include <algorithm>
#include <limits>

#include "common/counts.hpp"
#include "models/copy_engine/copy_engine.hpp"
#include "models/cta_slots/cta_slots.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"

namespace stcsim {
namespace {

/// The fewest bytes of the operand that a CTA loads in a k-step.
std::int64_t fewest_bytes(const OperandStream& stream) {
  if (stream.of_tiles) return 0;
  const std::int64_t rows =
      stream.strips > 1 ? std::min(stream.rows, stream.edge_rows) : stream.edge_rows;
  return rows * std::min(stream.row_bytes, stream.edge_row_bytes);
}

}  // namespace

CriticalPath::CriticalPath(const AcceleratorConfig& machine, const KernelLaunch& launch)
    : machine_(machine), launch_(launch), pace_(timing_of(machine.sm, launch.warp).pace) {
  group_millicycles_ =
      launch.warp.instructions_per_group * pace_.interval.count() * kMilli + bubbles_of_group();
}

/// The bubbles of batches that are issued in turn are rounded to whole cycles, the sum of those
/// between two ends of batches at a time: half a cycle for each batch may be lost. Those between
/// instructions of one warp are certain only if no other warp can fill them.
std::int64_t CriticalPath::bubbles_of_group() const {
  const bool is_alone = launch_.warps * launch_.ctas_per_sm <= machine_.sm.sub_cores;
  if (!pace_.has_bubbles_between_warps && !is_alone) return 0;
  const std::int64_t between = launch_.warp.instructions_per_group - 1;
  return std::max<std::int64_t>(between * pace_.same_warp_bubble.count() - kMilli / 2, 0);
}

std::int64_t CriticalPath::to_start() const {
  return 1 +
         CtaSlots::setup_cycles(Cycles(machine_.cta_scheduler.cta_setup_cycles), launch_).count();
}

std::int64_t CriticalPath::issue_cycles() const {
  return CopyEngine::least_step_cycles(machine_.sm.copy_engine, launch_).count();
}

/// Data that nobody has read before are not in the L2 cache before DRAM has answered the first who
/// asks, and all ask for their first step at the same time.
std::int64_t CriticalPath::load_cycles(Operand operand, FirstData first) const {
  const OperandStream& stream = launch_.stream(operand);
  const std::int64_t bytes = fewest_bytes(stream);
  const std::int64_t hit = machine_.l2_cache.least_hit_cycles(bytes).count();
  const bool misses = first == FirstData::in_dram && !stream.starts_in_l2 && bytes > 0;
  return hit + (misses ? 1 + machine_.dram.access_cycles().count() : 0);
}

std::int64_t CriticalPath::to_first_byte(FirstData first) const {
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  std::int64_t issued = 0;
  for (const Operand operand : launch_.operands()) {
    issued += launch_.issued_bytes(operand);
    const std::int64_t asked = machine_.sm.copy_engine.issue_cycles(issued, launch_).count();
    earliest = std::min(earliest, asked + load_cycles(operand, first));
  }
  return to_start() + earliest;
}

std::int64_t CriticalPath::to_full_stage(FirstData first) const {
  const SharedMemoryConfig& memory = machine_.sm.shared_memory;
  std::int64_t latest = to_first_byte(first) + fill_cycles(memory, launch_).count();
  std::int64_t issued = 0;
  for (const Operand operand : launch_.operands()) {
    issued += launch_.issued_bytes(operand);
    const std::int64_t asked = machine_.sm.copy_engine.issue_cycles(issued, launch_).count();
    latest = std::max(latest, to_start() + asked + load_cycles(operand, first));
  }
  return latest;
}

/// A stage is asked for again when all its fragments have been read. Where a k-step has more groups
/// than a warp has fragment buffers, the last ones are asked for when that many before them have
/// been multiplied.
std::int64_t CriticalPath::refills(FirstData again) const {
  const WarpProgram& warp = launch_.warp;
  const PortTime of_step = port_time(machine_.sm.shared_memory, launch_, 1);
  const std::int64_t in_between =
      (warp.has_phases()
           ? 0
           : std::max<std::int64_t>(warp.groups_per_step - warp.fragment_buffers, 0)) *
      ceil_div(launch_.warps, machine_.sm.sub_cores) * group_millicycles_ / kMilli;
  const std::int64_t to_last_read = in_between > 0 ? fetch_cycles() + in_between : 0;
  const std::int64_t to_read = std::max(of_step.reads.count(), to_last_read);
  const std::int64_t times = (steps() - 1) / launch_.stages;
  return times * (to_read + to_full_stage(again) - to_start());
}

std::int64_t CriticalPath::fetch_cycles() const {
  return machine_.sm.shared_memory.answer_cycles(launch_.warp.awaited_bytes()).count();
}

std::int64_t CriticalPath::to_first_fragments(FirstData first) const {
  return to_full_stage(first) + fetch_cycles();
}

std::int64_t CriticalPath::interval_to_result() const {
  return std::max<std::int64_t>(pace_.latency.count() - pace_.interval.count(), 1);
}

std::int64_t CriticalPath::stage_to_results() const {
  return fetch_cycles() + group_millicycles_ / kMilli + interval_to_result();
}

/// The warps of a sub-core issue one after the other. A group's accumulators are the one's before.
///
/// With two fragment buffers or more, the last group of a k-step starts when the barrier to the
/// next is open; it opens when every warp has asked for that one's first fragments, which it does
/// `buffers` groups ahead, and a pause later. So between two openings lie all groups but
/// `buffers` - 2 of a k-step, and the pause. With one buffer, a warp asks when its group has ended.
/// Of k-steps with phases only what is issued counts.
std::int64_t CriticalPath::main_loop() const {
  const std::int64_t in_step = launch_.warp.groups_per_step;
  const std::int64_t groups = steps() * in_step;
  if (groups == 0) return 0;
  const std::int64_t side_by_side = ceil_div(launch_.warps, machine_.sm.sub_cores);
  const std::int64_t of_group = side_by_side * group_millicycles_;
  const std::int64_t inner_steps = std::max<std::int64_t>(steps() - 2, 0);
  const std::int64_t to_open =
      std::max<std::int64_t>(machine_.sm.shared_memory.barrier_cycles - pace_.interval.count(), 0);
  const std::int64_t issuing = groups * of_group;
  if (launch_.warp.has_phases()) return issuing / kMilli;
  const std::int64_t chained = launch_.warp.streams_b ? 0 : pace_.latency.count();
  const std::int64_t waiting = (groups - 1) * chained * kMilli + group_millicycles_;
  const std::int64_t ahead = launch_.warp.fragment_buffers - 2;
  if (ahead >= 0) {
    const std::int64_t pause = (1 + std::max<std::int64_t>(to_open, 1)) * kMilli;
    const std::int64_t opening =
        issuing + inner_steps * (pause - ahead * of_group) - ahead * of_group;
    return std::max({issuing, waiting, opening}) / kMilli;
  }
  const std::int64_t asking = (1 + fetch_cycles()) * kMilli;
  const std::int64_t alone = groups * group_millicycles_ + (groups - 1) * asking +
                             std::max<std::int64_t>(steps() - 1, 0) * to_open * kMilli;
  return std::max({waiting, alone, issuing + inner_steps * (asking + to_open * kMilli)}) / kMilli;
}

/// The port of shared memory, or filling the stages again, may take longer than the sub-cores. B
/// that is not waited for comes behind the A of as many groups as there are fragment buffers, and
/// is read while these multiply.
std::int64_t CriticalPath::to_results(FirstData first) const {
  const std::int64_t multiplied = to_first_fragments(first) + main_loop() + interval_to_result();
  const PortTime port = port_time(machine_.sm.shared_memory, launch_, steps());
  const std::int64_t streamed = launch_.warp.fragments.total() - launch_.warp.awaited_bytes();
  const std::int64_t groups =
      std::min(launch_.warp.fragment_buffers, steps() * launch_.warp.groups_per_step);
  const std::int64_t meanwhile =
      streamed > 0
          ? machine_.sm.shared_memory.read_cycles(streamed).count() * launch_.warps * groups
          : 0;
  const std::int64_t read = to_first_byte(first) + port.of_main_loop().count() - meanwhile;
  const std::int64_t latency =
      std::max<std::int64_t>(machine_.sm.shared_memory.latency_cycles - 1, 0);
  const std::int64_t refilled =
      to_full_stage(first) + refills(FirstData::in_l2) + stage_to_results();
  return std::max(
      {multiplied, refilled, read + latency + group_millicycles_ / kMilli + interval_to_result()});
}

std::int64_t CriticalPath::to_first_chunk() const {
  return Epilogue::to_first_chunk(machine_.sm.epilogue, machine_.sm.shared_memory, launch_).count();
}

/// The results reach the epilogue one cycle later; a chunk is sent and is over the bus a cycle
/// later each, at least; the slot is told, and the scheduler.
std::int64_t CriticalPath::epilogue() const {
  const std::int64_t stored =
      cycles_for(launch_.least_output_bytes(), machine_.memory_bus.sm_write_bytes_per_clk).count();
  const std::int64_t last =
      Epilogue::to_last_chunk(machine_.sm.epilogue, machine_.sm.shared_memory, launch_).count();
  constexpr std::int64_t kMessages = 4;
  return kMessages + std::max(last + 1, to_first_chunk() + stored);
}

std::int64_t CriticalPath::to_first_store(FirstData first) const {
  return to_results(first) + 1 + to_first_chunk() + 1;
}

std::int64_t CriticalPath::whole(FirstData first) const {
  return to_results(first) + epilogue();
}

}  // namespace stcsim
