#include "models/memory_bus/memory_bus.hpp"

#include <algorithm>

#include "models/base/earliest.hpp"

namespace stcsim {

MemoryBus::MemoryBus(const MemoryBusConfig& config, std::int64_t sms)
    : to_shared_memory(static_cast<std::size_t>(sms), nullptr),
      to_epilogue(static_cast<std::size_t>(sms), nullptr),
      config_(config),
      read_ports_(static_cast<std::size_t>(sms), BandwidthServer(config.sm_read_bytes_per_clk)),
      write_ports_(static_cast<std::size_t>(sms), BandwidthServer(config.sm_write_bytes_per_clk)) {}

void MemoryBus::launch() {
  for (BandwidthServer& port : read_ports_) port.reset();
  for (BandwidthServer& port : write_ports_) port.reset();
  load_data.clear();
  stores.clear();
}

std::optional<Cycle> MemoryBus::advance(Cycle now) {
  while (load_data.has_message(now)) deliver(load_data.pop(), now);
  while (stores.has_message(now)) store(stores.pop(), now);
  return earliest(load_data.next_arrival(), stores.next_arrival());
}

void MemoryBus::deliver(const LoadResponse& response, Cycle now) {
  const auto sm = static_cast<std::size_t>(response.sm);
  const Cycle through = read_ports_[sm].reserve(now, response.bytes);
  to_shared_memory[sm]->send(std::max(through, now + kOneCycle) + Cycles(config_.hop_cycles),
                             response);
}

void MemoryBus::store(const StoreRequest& request, Cycle now) {
  const auto sm = static_cast<std::size_t>(request.sm);
  const Cycle through = std::max(write_ports_[sm].reserve(now, request.bytes), now + kOneCycle);
  to_epilogue[sm]->send(through, {request.slot});
  to_l2->send(through + Cycles(config_.hop_cycles), request);
}

namespace {

UnitBuckets port_buckets(const BandwidthServer& port, Cycle end) {
  const Cycles busy = port.busy_until(end);
  return {{"busy", busy}, {"idle", (end - Cycle()) - busy}};
}

}  // namespace

UnitBuckets MemoryBus::read_buckets(std::int64_t sm, Cycle end) const {
  return port_buckets(read_ports_[static_cast<std::size_t>(sm)], end);
}

UnitBuckets MemoryBus::write_buckets(std::int64_t sm, Cycle end) const {
  return port_buckets(write_ports_[static_cast<std::size_t>(sm)], end);
}

}  // namespace stcsim
