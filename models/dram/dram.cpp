#include "models/dram/dram.hpp"

#include <algorithm>

namespace stcsim {

Dram::Dram(const DramConfig& config) : config_(config), channels_(config.bytes_per_clk) {}

void Dram::launch() {
  channels_.reset();
  read_bytes_ = written_bytes_ = 0;
  requests.clear();
}

std::optional<Cycle> Dram::advance(Cycle now) {
  while (requests.has_message(now)) serve(requests.pop(), now);
  return requests.next_arrival();
}

void Dram::serve(const DramRequest& request, Cycle now) {
  const std::int64_t bursts = cycles_for(request.bytes, config_.burst_bytes).count();
  const std::int64_t bytes = bursts * config_.burst_bytes;
  (request.write ? written_bytes_ : read_bytes_) += bytes;
  const Cycle through = channels_.reserve(now, bytes);
  if (request.write) return;
  const std::int64_t used = std::min(bursts, config_.channels);
  const Cycles alone = cycles_for(bytes * config_.channels, config_.bytes_per_clk * used);
  responses->send(std::max(through, now + alone) + Cycles(config_.latency_cycles), {request.fill});
}

UnitBuckets Dram::buckets(Cycle end) const {
  const Cycles busy = channels_.busy_until(end);
  return {{"busy", busy}, {"idle", (end - Cycle()) - busy}};
}

}  // namespace stcsim
