#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/bandwidth_server.hpp"
#include "models/base/inbox.hpp"
#include "models/base/message_state.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/unit_statistics.hpp"
#include "models/memory_bus/memory_bus_config.hpp"

namespace stcsim {

/// The crossbar between SMs and L2. Load requests are small and only take the hop's time (the copy
/// engine sends them straight to the cache); load data and stores share their SM's read and write
/// port.
class MemoryBus {
 public:
  MemoryBus(const MemoryBusConfig& config, std::int64_t sms);

  Inbox<LoadResponse> load_data;
  Inbox<StoreRequest> stores;
  std::vector<OutPort<LoadResponse>*> to_shared_memory;  // by SM
  std::vector<OutPort<StoreAccepted>*> to_epilogue;      // by SM
  OutPort<StoreRequest>* to_l2 = nullptr;

  void launch();
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// Buckets of one SM's ports: busy, idle.
  [[nodiscard]] UnitBuckets read_buckets(std::int64_t sm, Cycle end) const;
  [[nodiscard]] UnitBuckets write_buckets(std::int64_t sm, Cycle end) const;

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    load_data.visit_state(visitor, visit_response(visitor));
    stores.visit_state(visitor, visit_store(visitor));
    for (BandwidthServer& port : read_ports_) port.visit_state(visitor);
    for (BandwidthServer& port : write_ports_) port.visit_state(visitor);
  }

 private:
  void deliver(const LoadResponse& response, Cycle now);
  void store(const StoreRequest& request, Cycle now);

  MemoryBusConfig config_;
  std::vector<BandwidthServer> read_ports_;
  std::vector<BandwidthServer> write_ports_;
};

}  // namespace stcsim
