#include "models/dram/dram.hpp"

#include <algorithm>
#include <utility>

#include "models/base/memory_traffic.hpp"

namespace stcsim {

Dram::Dram(const DramConfig& config)
    : config_(config),
      parts_(static_cast<std::size_t>(config.channels), config.channel()),
      channels_(config.bytes_per_clk) {
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
  bytes_per_clk_ = config.bytes_per_clk;
  std::fill(parts_.begin(), parts_.end(), config.channel());
}

void Dram::launch(const KernelLaunch& kernel) {
  bytes_per_clk_ = config_.bytes_per_clk_of(kernel.reads_tiles());
  channels_ = BeatServer(bytes_per_clk_);
  read_bytes_ = written_bytes_ = room_in_burst_ = 0;
  const std::int64_t stored = kernel.stored_bytes();
  carried_in_ = waiting_writes_ = std::min(config_.whole_bursts(stored), config_.write_queue_bytes);
  above_empty_ = below_full_ = kFar;
  requests.clear();
}

std::optional<Cycle> Dram::advance(Cycle now) {
  while (requests.has_message(now)) {
    const DramRequest request = requests.pop();
    write_when_idle(now);
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
  const Transfer through = channels_.reserve({now, now}, bytes);
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
  above_empty_ = std::min(above_empty_, waiting_writes_);
  if (waiting_writes_ == 0) channels_.rest_until(now);  // no write before its arrival
  waiting_writes_ += bytes;
  const std::int64_t too_many = waiting_writes_ - config_.write_queue_bytes;
  below_full_ = std::min(below_full_, 1 - too_many);
  if (too_many <= 0) return;
  (void)channels_.reserve({now, now}, too_many);
  waiting_writes_ -= too_many;
}

void Dram::write_when_idle(Cycle now) {
  if (channels_.free_at() >= now) return;
  above_empty_ = std::min(above_empty_, waiting_writes_);
  if (waiting_writes_ == 0) return;
  const Cycle since = channels_.free_at();
  const std::int64_t written = std::min(waiting_writes_, (now - since).count() * bytes_per_clk_);
  (void)channels_.reserve({since, since}, written);
  waiting_writes_ -= written;
  above_empty_ = std::min(above_empty_, waiting_writes_);
}

Dram::Backlog Dram::take_backlog() {
  return {waiting_writes_, std::exchange(above_empty_, kFar), std::exchange(below_full_, kFar)};
}

Cycle Dram::ends_at() const {
  const std::int64_t own = std::max<std::int64_t>(0, waiting_writes_ - carried_in_);
  return channels_.free_at() + cycles_for(own, bytes_per_clk_);
}

Cycles Dram::busy_until(Cycle end) const {
  // Leaving over less than was found would not have been found in the long run.
  const std::int64_t found = std::max<std::int64_t>(0, carried_in_ - waiting_writes_);
  return channels_.busy_until(end) - Cycles(found / bytes_per_clk_);
}

}  // namespace stcsim
