#pragma once

#include <cstdint>
#include <optional>

#include "models/base/bandwidth_server.hpp"
#include "models/base/inbox.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/unit_statistics.hpp"
#include "models/dram/dram_config.hpp"

namespace stcsim {

/// Off-chip memory. Requests are spread over the channels burst by burst and served first come,
/// first served; one request alone gets the bandwidth of as many channels as it has bursts.
class Dram {
 public:
  explicit Dram(const DramConfig& config);

  Inbox<DramRequest> requests;
  OutPort<DramResponse>* responses = nullptr;

  void launch();
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// Buckets: busy, idle.
  [[nodiscard]] UnitBuckets buckets(Cycle end) const;
  [[nodiscard]] std::int64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::int64_t written_bytes() const { return written_bytes_; }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    requests.visit_state(visitor, [&](DramRequest& request) {
      if (!request.write) visitor.fill(request.fill);
      visitor.value(request.bytes);
      visitor.value(request.write);
    });
    channels_.visit_state(visitor);
    visitor.counter(read_bytes_);
    visitor.counter(written_bytes_);
  }

 private:
  void serve(const DramRequest& request, Cycle now);

  DramConfig config_;
  BandwidthServer channels_;
  std::int64_t read_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
};

}  // namespace stcsim
