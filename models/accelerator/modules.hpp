#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/accelerator/accelerator.hpp"
#include "models/accelerator/sm_router.hpp"
#include "models/accelerator/sm_shell.hpp"
#include "models/base/clockless_module.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/sm_sets.hpp"
#include "models/base/stream_channel.hpp"
#include "models/base/unit_agenda.hpp"
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

template <class Core>
using UnitPointer = std::unique_ptr<UnitOnAgenda<Core>>;

/// The module of one SM and its units.
struct SmModules {
  std::unique_ptr<SmShell> shell;
  UnitPointer<StreamingMultiprocessor> control;
  UnitPointer<CopyEngine> copy_engine;
  UnitPointer<SharedMemory> shared_memory;
  std::vector<UnitPointer<SubCore>> sub_cores;
  UnitPointer<Epilogue> epilogue;

  /// Puts a message from outside into the inbox of one of the units.
  template <class Message, class Core>
  void deliver(Inbox<Message>& inbox, UnitOnAgenda<Core>& unit, Cycle at, const Message& message) {
    inbox.push(at, 0, message);
    unit.wake(at);
    shell->arm();
  }
};

/// Calls `visit(unit)` for every unit of an SM, in a fixed order.
template <class Visit>
void for_each_unit(SmModules& sm, Visit&& visit) {
  visit(*sm.control);
  visit(*sm.copy_engine);
  visit(*sm.shared_memory);
  visit(*sm.epilogue);
  for (auto& sub_core : sm.sub_cores) visit(*sub_core);
}

/// The block diagram: every module and every wire between them.
struct Accelerator::Modules {
  Modules(const AcceleratorConfig& machine, std::uint64_t construction_seed);

  /// Calls `visit(module)` for the modules that all SMs share.
  template <class Visit>
  void for_each_shared(Visit&& visit) {
    visit(*cta_scheduler);
    visit(*memory_bus);
    visit(*l2_cache);
    visit(*dram);
  }
  /// Calls `visit(module)` for all that is simulated: shared modules and representatives' units.
  template <class Visit>
  void for_each_active(Visit&& visit) {
    for_each_shared(visit);
    for (const std::int64_t sm : router->groups().representatives()) {
      for_each_unit(sms[static_cast<std::size_t>(sm)], visit);
    }
  }
  /// Calls `visit(module)` for every shared module and every unit.
  template <class Visit>
  void for_each(Visit&& visit) {
    for_each_shared(visit);
    for (SmModules& sm : sms) for_each_unit(sm, visit);
  }

  AcceleratorConfig config;
  LaunchClock clock;
  SmSets sets;
  ResidentCtas resident;
  ModulePointer<CtaScheduler> cta_scheduler;
  ModulePointer<MemoryBus> memory_bus;
  ModulePointer<L2Cache> l2_cache;
  ModulePointer<Dram> dram;
  std::vector<SmModules> sms;
  std::unique_ptr<SmRouter> router;

 private:
  void plan_modules(std::vector<std::function<void()>>& steps);
  void plan_units(std::int64_t index, std::vector<std::function<void()>>& steps);
  void connect_memory();
  void connect_sm(std::int64_t index);
  void connect_sub_cores(std::int64_t index);

  /// Makes a wire into `inbox` of `consumer` and returns its entry.
  template <class Message>
  OutPort<Message>* wire(Inbox<Message>& inbox, Wakeable& consumer, std::int64_t sender = 0) {
    auto channel = std::make_shared<StreamChannel<Message>>(inbox, consumer, sender);
    wires_.push_back(channel);
    return channel.get();
  }
  /// The same, but messages that the consumer does not wait for do not wake it.
  template <class Message, class Core>
  OutPort<Message>* lazy_wire(Inbox<Message>& inbox, UnitOnAgenda<Core>& consumer) {
    auto channel = std::make_shared<LazyChannel<Message, Core>>(inbox, consumer);
    wires_.push_back(channel);
    return channel.get();
  }
  /// The same out of SM `sm` and all that it stands for.
  template <class Message>
  OutPort<Message>* wire_out(Inbox<Message>& inbox, Wakeable& consumer, std::int64_t sm) {
    auto channel = std::make_shared<GroupChannel<Message>>(inbox, consumer, router->groups(), sm);
    wires_.push_back(channel);
    return channel.get();
  }

  std::vector<std::shared_ptr<void>> wires_;
};

}  // namespace stcsim
