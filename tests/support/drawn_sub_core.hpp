#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/clocked_beats.hpp"
#include "models/sub_core/sub_core.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim::test {

/// Instructions of 2:4, m16n8k32: bytes of A, B and metadata, and products.
inline constexpr std::int64_t kBytesOfA = 16 * 16 * 2;
inline constexpr std::int64_t kBytesOfB = 32 * 8 * 2;
inline constexpr std::int64_t kBytesOfMetadata = 16 * 4;
inline constexpr std::int64_t kProductsOfOne = 16 * 8 * 16;

/// What a drawn sub-core is made of, and its one warp does.
struct DrawnSubCore {
  std::int64_t register_bytes, fill_bytes, buffer_bytes, decode, selector_bytes, multipliers;
  std::int64_t latency, depth, instructions;
  std::vector<std::int64_t> fragments_at;  // of each group, at the earliest
  std::int64_t decoder_registers, selector_registers;
};

inline DrawnSubCore draw_sub_core(Dice& dice) {
  DrawnSubCore drawn{};
  drawn.register_bytes = dice.one_of({32, 48, 96, 192, 512, 1088});
  drawn.fill_bytes = dice.one_of({4, 8, 16, 64});
  drawn.buffer_bytes = dice.one_of({64, 127, 128, 191, 192, 1024});
  drawn.decode = dice.between(0, 12);
  drawn.selector_bytes = dice.one_of({32, 64, 128, 512});
  drawn.multipliers = dice.one_of({64, 128, 256, 512});
  drawn.latency = dice.between(1, 60);
  drawn.depth = dice.between(1, 4);
  drawn.instructions = dice.between(1, 9);
  std::int64_t at = 10;
  for (std::int64_t groups = dice.between(1, 6); groups > 0; --groups) {
    at += dice.one_of({1, 5, 40, 300});
    drawn.fragments_at.push_back(at);
  }
  drawn.decoder_registers = dice.between(0, 2);
  drawn.selector_registers = dice.between(0, 3);
  return drawn;
}

inline StreamingMultiprocessorConfig config_of(const DrawnSubCore& drawn) {
  StreamingMultiprocessorConfig config;
  config.sub_cores = 1;
  config.vector_lanes_per_sub_core = 16;
  config.tensor_core.multipliers = {{DataType::fp16, drawn.multipliers}};
  config.tensor_core.same_warp_bubble = Millicycles();
  config.operand_selector = {{{2, 4}}, drawn.selector_bytes, drawn.decode};
  config.operand_selector.metadata_fill_bytes_per_clk = drawn.fill_bytes;
  config.operand_selector.metadata_buffer_bytes = drawn.buffer_bytes;
  config.operand_selector.selector_stages = drawn.selector_registers;
  config.operand_fetch = {drawn.register_bytes, 1};
  config.detail = Detail::stages;
  config.queues = std::to_string(drawn.depth);
  return config;
}

/// A datapath without values.
class CircuitsOnly : public Datapath {
 public:
  void begin_cta(std::int64_t, std::int64_t, const CtaCoordinates&) override {}
  void fill_stage(std::int64_t, std::int64_t, std::int64_t) override {}
  void fetch_fragments(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                       std::int64_t) override {}
  void execute_mma(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t) override {}
  void release_stage(std::int64_t, std::int64_t, std::int64_t) override {}
  void store_tile(std::int64_t, std::int64_t) override {}
};

/// The sub-core itself, event by event: the cycles at which fragments were asked for again, after
/// each group but the last, and the one at which the warp is done.
/// @param data  whose circuits stand in for registers; null: none do
inline std::vector<std::int64_t> event_by_event(const DrawnSubCore& drawn, Datapath* data) {
  const StreamingMultiprocessorConfig config = config_of(drawn);
  SubCore core(config, 0, 0);
  DirectWires().connect_inside(core);
  RecordingPort<FetchRequest> fetches;
  RecordingPort<WarpDone> warps_done;
  core.warp_scheduler.fetches = &fetches;
  core.warp_scheduler.warps_done = &warps_done;
  KernelLaunch launch;
  launch.warp.instructions_per_group = drawn.instructions;
  launch.warp.instruction = {DataType::fp16, {2, 4}, 16, 8, 32, drawn.latency, 0};
  launch.warp.fragment_buffers = 1;
  core.tell(data);
  core.launch(launch);
  core.warp_scheduler.starts.push(Cycle(1), 0, {0, std::ssize(drawn.fragments_at)});
  std::int64_t from = 1;
  for (const std::int64_t at : drawn.fragments_at) {
    run_core(core, Cycle(from), Cycle(at - 1));
    core.warp_scheduler.fragments.push(Cycle(at), 0, {0, 0, kNever});
    from = at;
  }
  run_core(core, Cycle(from), Cycle(100'000));
  std::vector<std::int64_t> seen = fetches.arrivals();
  seen.erase(seen.begin());  // of the first group, asked for before anything has been read
  seen.push_back(warps_done.arrivals().at(0));
  return seen;
}

}  // namespace stcsim::test
