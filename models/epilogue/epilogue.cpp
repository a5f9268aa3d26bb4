#include "models/epilogue/epilogue.hpp"

#include <algorithm>

namespace stcsim {
namespace {

/// A chunk's way through shared memory.
Cycles staging_cycles(const SharedMemoryConfig& memory, const EpilogueProgram& program,
                      std::int64_t chunk_bytes) {
  if (program.staging_bytes_per_element == 0) return {};
  const std::int64_t elements = chunk_bytes / program.element_bytes;
  return kOneCycle + memory.answer_cycles(elements * program.staging_bytes_per_element);
}

}  // namespace

Epilogue::Epilogue(const EpilogueConfig& config, const SharedMemoryConfig& memory, std::int64_t sm)
    : config_(config), memory_(memory) {
  sm_ = sm;
}

void Epilogue::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  queue_.clear();
  doing_ = Bucket::idle;
  wait_ends_ = Cycle();
  bytes_left_ = chunk_bytes_ = stores_on_bus_ = 0;
  buckets_.reset();
  starts.clear();
  staged.clear();
  accepted.clear();
}

std::optional<Cycle> Epilogue::advance(Cycle now) {
  buckets_.account(now, doing_);
  while (starts.has_message(now)) {
    // Each group of warps of a persistent kernel takes one tile after the other.
    const auto groups = static_cast<std::size_t>(kernel_.epilogue.warp_groups);
    const bool waits = kernel_.persistent && queue_.size() >= groups;
    const Cycle from = waits ? std::max(now, queue_[queue_.size() - groups].prepared) : now;
    queue_.push_back() = {starts.pop(), from + preparation(config_, memory_, kernel_)};
  }
  while (accepted.has_message(now)) {
    accepted.pop();
    --stores_on_bus_;
  }
  while (staged.has_message(now)) {
    staged.pop();
    store_chunk(now);
    stage_chunks(now);
  }
  if (doing_ == Bucket::setup && wait_ends_ <= now) begin_chunks(now);
  if (doing_ == Bucket::waiting_source && wait_ends_ <= now) stage_chunks(now);
  end_if_stored(now);
  while (doing_ == Bucket::idle && !queue_.empty()) begin_next(now);
  const bool waits = doing_ == Bucket::setup || doing_ == Bucket::waiting_source;
  return if_ever(earliest(starts.next_arrival(), staged.next_arrival(), accepted.next_arrival(),
                          waits ? wait_ends_ : kNever));
}

Cycles Epilogue::preparation(const EpilogueConfig& config, const SharedMemoryConfig& memory,
                             const KernelLaunch& kernel) {
  const Cycles setup(config.setup_cycles);
  if (kernel.epilogue.trips == 0) return std::max(setup, kOneCycle);
  const Cycles trip(2 * (memory.barrier_cycles + memory.latency_cycles));
  const std::int64_t own = kernel.epilogue.elements_per_clk;
  const std::int64_t elements = kernel.tile_m * kernel.tile_n * kernel.epilogue.warp_groups;
  return setup + trip * kernel.epilogue.trips +
         Cycles(elements / (own > 0 ? own : config.elements_per_clk));
}

Cycles Epilogue::to_first_chunk(const EpilogueConfig& config, const SharedMemoryConfig& memory,
                                const KernelLaunch& kernel) {
  const std::int64_t chunk = std::min(kernel.least_output_bytes(), config.store_chunk_bytes);
  return preparation(config, memory, kernel) + kernel.epilogue.source_wait +
         staging_cycles(memory, kernel.epilogue, chunk);
}

Cycles Epilogue::to_last_chunk(const EpilogueConfig& config, const SharedMemoryConfig& memory,
                               const KernelLaunch& kernel) {
  const std::int64_t chunk = config.store_chunk_bytes;
  const std::int64_t bytes = kernel.least_output_bytes();
  const auto staging = [&](std::int64_t of) { return staging_cycles(memory, kernel.epilogue, of); };
  const std::int64_t rest = bytes % chunk;
  const Cycles all = staging(chunk) * (bytes / chunk) + (rest > 0 ? staging(rest) : Cycles());
  return to_first_chunk(config, memory, kernel) + all - staging(std::min(bytes, chunk));
}

void Epilogue::begin_next(Cycle now) {
  doing_ = Bucket::setup;
  wait_ends_ = queue_.front().prepared;
  bytes_left_ = queue_.front().start.bytes;
  if (wait_ends_ <= now) begin_chunks(now);
  end_if_stored(now);
}

void Epilogue::begin_chunks(Cycle now) {
  if (kernel_.epilogue.source_wait == Cycles()) {
    stage_chunks(now);
    return;
  }
  doing_ = Bucket::waiting_source;
  wait_ends_ = now + kernel_.epilogue.source_wait;
}

void Epilogue::stage_chunks(Cycle now) {
  while (bytes_left_ > 0) {
    chunk_bytes_ = std::min(bytes_left_, config_.store_chunk_bytes);
    bytes_left_ -= chunk_bytes_;
    if (kernel_.epilogue.staging_bytes_per_element > 0) {
      const std::int64_t elements = chunk_bytes_ / kernel_.epilogue.element_bytes;
      staging->send(now + kOneCycle, {elements * kernel_.epilogue.staging_bytes_per_element});
      doing_ = Bucket::waiting_shared_memory;
      return;
    }
    store_chunk(now);
  }
  doing_ = Bucket::waiting_bus;
  if (!kernel_.persistent) return;
  accumulators_free->send(now + kOneCycle, {queue_.front().start.slot});
}

void Epilogue::store_chunk(Cycle now) {
  ++stores_on_bus_;
  const EpilogueStart& tile = queue_.front().start;
  stores->send(now + kOneCycle, {tile.slot, tile.bytes - bytes_left_ - chunk_bytes_, chunk_bytes_});
}

void Epilogue::end_if_stored(Cycle now) {
  if (doing_ != Bucket::waiting_bus || stores_on_bus_ > 0) return;
  done->send(now + kOneCycle, {queue_.front().start.slot});
  queue_.pop_front();
  doing_ = Bucket::idle;
}

void Epilogue::finish(Cycle end) {
  buckets_.account(end, doing_);
}

std::string Epilogue::waiting_for() const {
  if (doing_ == Bucket::waiting_shared_memory) {
    return "epilogue of SM " + std::to_string(sm_.get()) + " waits for shared memory";
  }
  if (doing_ == Bucket::waiting_bus) {
    return "epilogue of SM " + std::to_string(sm_.get()) + " waits for the memory bus";
  }
  return "";
}

}  // namespace stcsim
