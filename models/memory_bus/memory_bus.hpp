#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/beat_server.hpp"
#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/unit_kind.hpp"
#include "models/memory_bus/memory_bus_config.hpp"

namespace stcsim {

/// The crossbar between SMs and L2. Load requests are small and only take the hop's time (the copy
/// engine sends them straight to the cache); load data and stores share their SM's read and write
/// port. An SM is told when all loads of a k-step are there, as its barrier on the stage is. Of
/// edge tiles only the valid part is moved. Where all SMs together get less than their ports could
/// carry, each that runs CTAs of a kernel has an equal share, from its first CTA to its last.
class MemoryBus {
 public:
  static constexpr UnitKind kKind{"memory_bus", "crossbar between the SMs and the L2 cache"};
  static constexpr Hooks kHooks{.visit_ports = true, .visit_children = true};
  static constexpr UnitKind kReadPort{"memory_bus_read", "way of load data to one SM"};
  static constexpr UnitKind kWritePort{"memory_bus_write", "way of stores from one SM"};

  MemoryBus(const MemoryBusConfig& config, SmSets& sets, const ResidentCtas& resident);

  /// What the port of an SM carries while `kernel` runs on some of `sms`.
  [[nodiscard]] static std::int64_t read_bytes_per_clk(const MemoryBusConfig& config,
                                                       const KernelLaunch& kernel,
                                                       std::int64_t sms);
  /// The least times of the port of some of `sms` SMs, which has its share of all that is loaded,
  /// or stored.
  [[nodiscard]] static Cycles least_read_cycles(const MemoryBusConfig& config,
                                                const KernelLaunch& kernel, std::int64_t sms);
  [[nodiscard]] static Cycles least_write_cycles(const MemoryBusConfig& config,
                                                 const KernelLaunch& kernel, std::int64_t sms);

  Inbox<LoadResponse> load_data;
  Inbox<StoreRequest> stores;
  Wired<OutPort<StageFill>*> to_shared_memory;
  Wired<OutPort<StoreAccepted>*> to_epilogue;
  Wired<OutPort<StoreData>*> to_l2;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("load_data", load_data);
    visitor.in_from_sms("stores", stores);
    visitor.out("to_shared_memory", to_shared_memory);
    visitor.out("to_epilogue", to_epilogue);
    visitor.out("to_l2", to_l2);
  }
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    for (std::size_t sm = 0; sm < read_ports_.size(); ++sm) {
      const std::string number = std::to_string(sm);
      visitor.child(("read_port" + number).c_str(), kReadPort, read_ports_[sm]);
      visitor.child(("write_port" + number).c_str(), kWritePort, write_ports_[sm]);
    }
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// The port of one SM.
  [[nodiscard]] const BeatServer& read_port(std::int64_t sm) const {
    return read_ports_[static_cast<std::size_t>(sm)];
  }
  [[nodiscard]] const BeatServer& write_port(std::int64_t sm) const {
    return write_ports_[static_cast<std::size_t>(sm)];
  }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    load_data.visit_state(visitor, [&](LoadResponse& response) {
      visitor.value(response.slot);
      visitor.step(response.step, sets_.first(response.sms), response.slot);
      visitor.value(response.operand);
      visitor.time(response.last);
      visitor.value(response.sms);
    });
    stores.visit_state(visitor, [&](StoreRequest& request) {
      visitor.value(request.slot);
      visitor.value(request.offset);
      visitor.value(request.bytes);
      visitor.value(request.sms);
    });
    for (BeatServer& port : read_ports_) port.visit_state(visitor);
    for (BeatServer& port : write_ports_) port.visit_state(visitor);
    const std::int64_t slots = kernel_.ctas_per_sm;
    for (std::int64_t at = 0; at < sets_.sms() * slots; ++at) {
      visit_stages(visitor, at / slots, at % slots);
    }
  }

 private:
  struct Stage {
    std::int64_t step = 0;
    std::int64_t loads = 0;  // arrived
    Cycle since;
    Cycle full_at;
  };
  struct Filled {
    Cycle at;
    StageFill fill;
    SmSet from{};  // of the message it comes from
    std::int32_t sm = 0;
  };
  struct Stored {
    Cycle at;
    std::int64_t slot = 0;
    std::int64_t offset = 0;
    std::int64_t valid_bytes = 0;
    SmSet from{};
    std::int32_t sm = 0;
  };

  /// Describes the stages that have begun to fill, the earliest k-step first: where they lie in the
  /// ring makes no difference.
  template <class Visitor>
  void visit_stages(Visitor& visitor, std::int64_t sm, std::int64_t slot) {
    const std::int64_t ring = (sm * kernel_.ctas_per_sm + slot) * kernel_.stages;
    std::int64_t first = -1;
    for (std::int64_t at = 0; at < kernel_.stages; ++at) {
      const Stage& stage = stages_[static_cast<std::size_t>(ring + at)];
      if (stage.loads > 0 && (first < 0 || stage.step < first)) first = stage.step;
    }
    if (!visitor.present(first >= 0)) return;
    visitor.step(first, sm, slot);
    for (std::int64_t step = first; step < first + kernel_.stages; ++step) {
      Stage& stage = stages_[static_cast<std::size_t>(ring + step % kernel_.stages)];
      visitor.value(stage.loads);
      if (stage.loads == 0) continue;
      if (step == first) {
        stage.step = first;
      } else {
        visitor.step(stage.step, sm, slot);
      }
      visitor.time(stage.since);
      visitor.time(stage.full_at);
    }
  }

  void deliver(const LoadResponse& response, Cycle now);
  void store(const StoreRequest& request, Cycle now);
  void send_filled();
  void send_stored();
  [[nodiscard]] Stage& stage_of(std::int32_t sm, std::int64_t slot, std::int64_t step);

  MemoryBusConfig config_;
  SmSets& sets_;
  const ResidentCtas& resident_;
  KernelLaunch kernel_;
  std::int64_t loads_per_stage_ = 0;
  std::vector<BeatServer> read_ports_;
  std::vector<BeatServer> write_ports_;
  std::vector<Stage> stages_;   // by SM, slot and step modulo stages
  std::vector<Filled> filled_;  // in this cycle
  std::vector<Stored> stored_;
  SmNumbers members_;  // of a message's set, while it is sent
};

}  // namespace stcsim
