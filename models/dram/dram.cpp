#include "models/dram/dram.hpp"

#include <algorithm>

#include "models/base/memory_traffic.hpp"

namespace stcsim {

Dram::Dram(const DramConfig& config)
    : config_(config),
      parts_(static_cast<std::size_t>(config.channels), config.channel()),
      channels_(config.bytes_per_clk, config.write_queue_bytes) {
  change(config);
}

Cycles Dram::least_read_cycles(const DramConfig& config, const KernelLaunch& kernel) {
  return Cycles(least_dram_reads(kernel) / config.bytes_per_clk_of(kernel.reads_tiles()));
}

Cycles Dram::least_cycles(const DramConfig& config, const KernelLaunch& kernel) {
  return Cycles((least_dram_reads(kernel) + kernel.stored_bytes()) /
                config.bytes_per_clk_of(kernel.reads_tiles()));
}

void Dram::change(const DramConfig& config) {
  config_ = config;
  std::fill(parts_.begin(), parts_.end(), config.channel());
}

void Dram::launch(const KernelLaunch& kernel) {
  channels_ = SharedPath(config_.bytes_per_clk_of(kernel.reads_tiles()), config_.write_queue_bytes);
  channels_.launch(config_.whole_bursts(kernel.stored_bytes()));
  read_bytes_ = written_bytes_ = room_in_burst_ = 0;
  requests.clear();
}

std::optional<Cycle> Dram::advance(Cycle now) {
  while (requests.has_message(now)) {
    const DramRequest request = requests.pop();
    if (request.write) {
      write(request, now);
    } else {
      read(request, now);
    }
  }
  return if_ever(requests.next_arrival());
}

void Dram::read(const DramRequest& request, Cycle now) {
  const std::int64_t bytes = config_.whole_bursts(request.bytes);
  read_bytes_ += bytes;
  const Transfer through = channels_.read({now, now}, bytes, now);
  const Cycle first = through.first - kOneCycle + config_.burst_cycles();
  const Cycles latency(config_.latency_cycles);
  const Cycle last = std::max({through.last, now + parts_.front().busiest(bytes), first});
  responses->send(first + latency, {request.fill, last + latency});
}

void Dram::write(const DramRequest& request, Cycle now) {
  const std::int64_t bytes =
      config_.whole_bursts(std::max<std::int64_t>(0, request.bytes - room_in_burst_));
  room_in_burst_ += bytes - request.bytes;
  written_bytes_ += bytes;
  channels_.write(bytes, now);
}

}  // namespace stcsim
