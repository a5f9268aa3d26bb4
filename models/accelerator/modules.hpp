#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/accelerator/accelerator.hpp"
#include "models/base/clockless_module.hpp"
#include "models/base/stream_channel.hpp"
#include "models/copy_engine/copy_engine.hpp"
#include "models/cta_scheduler/cta_scheduler.hpp"
#include "models/dram/dram.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/l2_cache/l2_cache.hpp"
#include "models/memory_bus/memory_bus.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"
#include "models/sub_core/sub_core.hpp"

namespace stcsim {

template <class Core>
using ModulePointer = std::unique_ptr<ClocklessModule<Core>>;

/// The modules of one SM.
struct SmModules {
  ModulePointer<StreamingMultiprocessor> control;
  ModulePointer<CopyEngine> copy_engine;
  ModulePointer<SharedMemory> shared_memory;
  std::vector<ModulePointer<SubCore>> sub_cores;
  ModulePointer<Epilogue> epilogue;
};

/// The block diagram: every module and every wire between them.
struct Accelerator::Modules {
  Modules(const AcceleratorConfig& machine, std::uint64_t construction_seed);

  /// Calls `visit(module)` for every module, in a fixed order.
  template <class Visitor>
  void for_each(Visitor&& visit) {
    visit(*cta_scheduler);
    visit(*memory_bus);
    visit(*l2_cache);
    visit(*dram);
    for (SmModules& sm : sms) {
      visit(*sm.control);
      visit(*sm.copy_engine);
      visit(*sm.shared_memory);
      visit(*sm.epilogue);
      for (auto& sub_core : sm.sub_cores) visit(*sub_core);
    }
  }

  AcceleratorConfig config;
  LaunchClock clock;
  ModulePointer<CtaScheduler> cta_scheduler;
  ModulePointer<MemoryBus> memory_bus;
  ModulePointer<L2Cache> l2_cache;
  ModulePointer<Dram> dram;
  std::vector<SmModules> sms;

 private:
  void plan_construction(std::vector<std::function<void()>>& steps);
  void plan_sm(std::int64_t index, std::vector<std::function<void()>>& steps);
  void connect_memory();
  void connect_sm(std::int64_t index);
  void connect_sub_cores(std::int64_t index);

  /// Makes a wire into `inbox` of `consumer` and returns its entry.
  template <class Message, class Core>
  OutPort<Message>* wire(Inbox<Message>& inbox, ClocklessModule<Core>& consumer,
                         std::int64_t sender = 0) {
    auto channel = std::make_shared<StreamChannel<Message>>(inbox, consumer, sender);
    wires_.push_back(channel);
    return channel.get();
  }

  std::vector<std::shared_ptr<void>> wires_;
};

}  // namespace stcsim
