#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/beat_server.hpp"
#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/shared_path.hpp"
#include "models/base/unit_kind.hpp"
#include "models/dram/dram_config.hpp"

namespace stcsim {

/// Off-chip memory. A request stands for all that the cache asks for in one cycle. Requests are
/// served first come, first served, and share the bandwidth. One is spread over the channels burst
/// by burst: its first bytes are there with its first burst, and all not before the channel with
/// most of its bursts is done. Writes are collected into whole bursts, and use the cycles that
/// reads leave (SharedPath). A kernel does not end before no more of them wait than it has found.
/// So reading and writing its own bytes always fits into its time, and what it leaves is paid for
/// by the one that finds it.
class Dram {
 public:
  static constexpr UnitKind kKind{"dram", "off-chip memory: channels, and the queue of writes"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_children = true,
                                .visit_statistics = true,
                                .settle = true,
                                .finish = true};
  static constexpr UnitKind kChannel{"dram_channel", "has its share of the bursts"};

  explicit Dram(const DramConfig& config);

  /// For everything that is read and has to come from it, once.
  [[nodiscard]] static Cycles least_read_cycles(const DramConfig& config,
                                                const KernelLaunch& kernel);
  /// For that and all that is stored: writes that are still to be done when a launch ends are as
  /// many as were left to it, or count (ends_at).
  [[nodiscard]] static Cycles least_cycles(const DramConfig& config, const KernelLaunch& kernel);
  /// Between launches: another bandwidth or latency. The number of channels stays.
  void change(const DramConfig& config);

  Inbox<DramRequest> requests;
  Wired<OutPort<DramResponse>*> responses;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("requests", requests);
    visitor.out("responses", responses);
  }
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      visitor.child(("channel" + std::to_string(at)).c_str(), kChannel, parts_[at]);
    }
  }

  void launch(const KernelLaunch& kernel = {});
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// After finish(): busy with what the kernel has read and written.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle end) const {
    channels_.visit_statistics(visitor, end);
    visitor.count("dram_read_bytes", "byte", read_bytes_);
    visitor.count("dram_write_bytes", "byte", written_bytes_);
  }
  [[nodiscard]] std::int64_t read_bytes() const { return read_bytes_; }
  void settle(Cycle now) { channels_.write_when_idle(now); }
  void finish(Cycle end) { channels_.write_when_idle(end); }
  [[nodiscard]] Cycle ends_at() const { return channels_.ends_at(); }

  /// Its channels together.
  [[nodiscard]] SharedPath& path() { return channels_; }
  /// Bytes that were accepted and are still to be written.
  [[nodiscard]] std::int64_t waiting_write_bytes() const { return channels_.waiting_bytes(); }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    requests.visit_state(visitor, [&](DramRequest& request) {
      visitor.value(request.bytes);
      visitor.value(request.write);
      if (!request.write) visitor.fill(request.fill);
    });
    channels_.visit_state(visitor);
    visitor.value(room_in_burst_);
    visitor.counter(read_bytes_);
    visitor.counter(written_bytes_);
  }

 private:
  void read(const DramRequest& request, Cycle now);
  void write(const DramRequest& request, Cycle now);

  DramConfig config_;
  std::vector<InterleavedPart> parts_;  // the channels one by one: all are alike
  SharedPath channels_;                 // together
  std::int64_t room_in_burst_ = 0;      // bytes, in the last one collected
  std::int64_t read_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
};

}  // namespace stcsim
