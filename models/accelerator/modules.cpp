#include "models/accelerator/modules.hpp"

#include <algorithm>
#include <random>

namespace stcsim {

Accelerator::Modules::Modules(const AcceleratorConfig& machine, std::uint64_t construction_seed)
    : config(machine), sets(machine.num_sms), sms(static_cast<std::size_t>(machine.num_sms)) {
  std::vector<std::function<void()>> modules;
  std::vector<std::function<void()>> units;
  plan_modules(modules);
  for (std::int64_t index = 0; index < config.num_sms; ++index) plan_units(index, units);
  for (auto* steps : {&modules, &units}) {
    if (construction_seed != 0) {
      std::shuffle(steps->begin(), steps->end(), std::mt19937_64(construction_seed));
    }
    for (const auto& step : *steps) step();
  }
  connect_memory();
  for (std::int64_t index = 0; index < config.num_sms; ++index) {
    connect_sm(index);
    connect_sub_cores(index);
  }
}

void Accelerator::Modules::plan_modules(std::vector<std::function<void()>>& steps) {
  const auto name = [](const char* base) {
    return sc_core::sc_module_name(sc_core::sc_gen_unique_name(base));
  };
  steps.push_back([this, name] {
    cta_scheduler = std::make_unique<ClocklessModule<CtaScheduler>>(
        name("cta_scheduler"), clock, config.cta_scheduler, sets, resident);
  });
  steps.push_back([this, name] {
    memory_bus = std::make_unique<ClocklessModule<MemoryBus>>(name("memory_bus"), clock,
                                                              config.memory_bus, sets, resident);
  });
  steps.push_back([this, name] {
    l2_cache = std::make_unique<ClocklessModule<L2Cache>>(name("l2_cache"), clock, config.l2_cache,
                                                          Cycles(config.memory_bus.hop_cycles),
                                                          config.dram.burst_bytes, sets, resident);
  });
  steps.push_back(
      [this, name] { router = std::make_unique<SmRouter>(name("sm_router"), clock, sms, sets); });
  steps.push_back([this, name] {
    dram = std::make_unique<ClocklessModule<Dram>>(name("dram"), clock, config.dram);
  });
  for (SmModules& sm : sms) {
    steps.push_back([this, &sm, name] {
      sm.shell = std::make_unique<SmShell>(name("sm"), clock, Cycles(config.memory_bus.hop_cycles));
    });
  }
}

void Accelerator::Modules::plan_units(std::int64_t index,
                                      std::vector<std::function<void()>>& steps) {
  SmModules& sm = sms[static_cast<std::size_t>(index)];
  steps.push_back([this, &sm, index] {
    sm.control = std::make_unique<UnitOnAgenda<StreamingMultiprocessor>>(
        sm.shell->agenda, index, Cycles(config.cta_scheduler.cta_setup_cycles));
  });
  steps.push_back([this, &sm, index] {
    sm.copy_engine = std::make_unique<UnitOnAgenda<CopyEngine>>(
        sm.shell->agenda, config.sm.copy_engine, index, Cycles(config.memory_bus.hop_cycles));
  });
  steps.push_back([this, &sm, index] {
    sm.shared_memory = std::make_unique<UnitOnAgenda<SharedMemory>>(
        sm.shell->agenda, config.sm.shared_memory, index, config.sm.sub_cores);
  });
  steps.push_back([this, &sm, index] {
    sm.epilogue =
        std::make_unique<UnitOnAgenda<Epilogue>>(sm.shell->agenda, config.sm.epilogue, index);
  });
  sm.sub_cores.resize(static_cast<std::size_t>(config.sm.sub_cores));
  for (std::int64_t sub_core = 0; sub_core < config.sm.sub_cores; ++sub_core) {
    steps.push_back([this, &sm, index, sub_core] {
      sm.sub_cores[static_cast<std::size_t>(sub_core)] =
          std::make_unique<UnitOnAgenda<SubCore>>(sm.shell->agenda, config.sm, index, sub_core);
    });
  }
}

void Accelerator::Modules::connect_memory() {
  L2Cache& l2 = l2_cache->core;
  l2.responses = wire(memory_bus->core.load_data, *memory_bus);
  l2.dram = wire(dram->core.requests, *dram);
  l2.stores_done = wire(cta_scheduler->core.stores_done, *cta_scheduler);
  dram->core.responses = wire(l2.fills, *l2_cache);
  memory_bus->core.to_l2 = wire(l2.stores, *l2_cache);
  memory_bus->core.to_shared_memory = &router->fills();
  memory_bus->core.to_epilogue = &router->accepted();
  cta_scheduler->core.assignments = &router->assignments();
}

void Accelerator::Modules::connect_sm(std::int64_t index) {
  SmModules& sm = sms[static_cast<std::size_t>(index)];

  StreamingMultiprocessor& control = sm.control->core;
  control.starts.get() = {wire(sm.copy_engine->core.starts, *sm.copy_engine),
                          wire(sm.shared_memory->core.starts, *sm.shared_memory)};
  control.epilogue = wire(sm.epilogue->core.starts, *sm.epilogue);
  control.ctas_done = wire_out(cta_scheduler->core.ctas_done, *cta_scheduler, index);

  sm.copy_engine->core.loads = wire_out(l2_cache->core.loads, *l2_cache, index);
  sm.shared_memory->core.freed = wire(sm.copy_engine->core.freed, *sm.copy_engine);
  sm.shared_memory->core.staged = wire(sm.epilogue->core.staged, *sm.epilogue);
  sm.epilogue->core.staging = wire(sm.shared_memory->core.staging, *sm.shared_memory);
  sm.epilogue->core.stores = wire_out(memory_bus->core.stores, *memory_bus, index);
  sm.epilogue->core.done = wire(control.epilogues_done, *sm.control);
  sm.shell->connect(control, sm.epilogue->core, router->ctas_left());
}

void Accelerator::Modules::connect_sub_cores(std::int64_t index) {
  SmModules& sm = sms[static_cast<std::size_t>(index)];
  for (std::size_t at = 0; at < sm.sub_cores.size(); ++at) {
    UnitOnAgenda<SubCore>& sub_core = *sm.sub_cores[at];
    const auto sender = static_cast<std::int64_t>(at);
    sm.control->core.starts.get().push_back(wire(sub_core.core.starts, sub_core));
    sub_core.core.fetches = wire(sm.shared_memory->core.fetches, *sm.shared_memory, sender);
    sub_core.core.warps_done = wire(sm.control->core.warps_done, *sm.control, sender);
    sm.shared_memory->core.fragments.get()[at] = lazy_wire(sub_core.core.fragments, sub_core);
    sm.shared_memory->core.barriers.get()[at] = lazy_wire(sub_core.core.barriers, sub_core);
  }
}

}  // namespace stcsim
