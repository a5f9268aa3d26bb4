#include "models/accelerator/block_diagram.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace stcsim {
namespace {

/// Has the system map memory for the next `bytes` of small allocations at once, which takes a
/// fraction of the time of mapping it page by page as it is touched. A hint: where it cannot be
/// followed, nothing changes.
void map_heap_ahead(std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  // The most that glibc lets be one block of the heap, which is not given back when it is freed.
  constexpr std::size_t kMostAhead = 32 << 20;
  // The huge pages of x86-64, and of arm64 with pages of 4 KiB.
  constexpr std::size_t kHugePage = 2 << 20;
  const std::size_t room = bytes + kHugePage;
  if (room >= kMostAhead || mallopt(M_MMAP_THRESHOLD, kMostAhead) == 0 ||
      mallopt(M_TRIM_THRESHOLD, kMostAhead) == 0) {
    return;
  }
  void* const block = std::malloc(room);
  if (block == nullptr) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* first = block;
  std::size_t left = room;
  if (std::align(page, page, first, left) != nullptr) {
    // Up to the end of a huge page, so that all but its beginning are huge ones.
    const std::size_t past_end = (reinterpret_cast<std::uintptr_t>(first) + left) % kHugePage;
    const std::size_t whole = past_end < left ? left - past_end : 0;
    (void)madvise(first, whole, MADV_HUGEPAGE);
    (void)madvise(first, whole, MADV_POPULATE_WRITE);
  }
  std::free(block);
#else
  (void)bytes;
#endif
}

constexpr UnitKind kAccelerator{"accelerator", "SMs that share an L2 cache and its DRAM"};

}  // namespace

BlockDiagram::BlockDiagram(const sc_core::sc_module_name& name, const AcceleratorConfig& machine,
                           std::uint64_t construction_seed)
    : Unit(name, kAccelerator), config(machine), shared(machine.num_sms) {
  constexpr std::size_t kBytesPerSm = 80 * 1024;
  map_heap_ahead(kBytesPerSm * static_cast<std::size_t>(machine.num_sms));
  Steps steps;
  plan_shared_units(steps);
  plan_sms(steps, construction_seed);
  if (construction_seed != 0) {
    std::shuffle(steps.begin(), steps.end(), std::mt19937_64(construction_seed));
  }
  for (const auto& step : steps) step();
  connect_shared_units();
  for (const auto& sm : sms) connect_sm(*sm);
  for (Unit* const unit : sorted_children(*this)) {
    if (auto* const acting = dynamic_cast<ClocklessUnit*>(unit)) shared_units_.push_back(acting);
  }
  for_each_below(*this, [&](const Unit& unit) {
    if (unit.has_statistics()) telling_units_.push_back(&unit);
  });
}

void BlockDiagram::plan_shared_units(Steps& steps) {
  const ClocklessUnit::Place here{shared.clock, shared.groups};
  steps.emplace_back([this, here] {
    cta_scheduler = std::make_unique<Clockless<CtaScheduler>>(
        "cta_scheduler", here, config.cta_scheduler, shared.sets, shared.resident);
  });
  steps.emplace_back([this, here] {
    memory_bus = std::make_unique<Clockless<MemoryBus>>("memory_bus", here, config.memory_bus,
                                                        shared.sets, shared.resident);
  });
  steps.emplace_back([this, here] {
    l2_cache = std::make_unique<Clockless<L2Cache>>("l2_cache", here, config.l2_cache,
                                                    Cycles(config.memory_bus.hop_cycles),
                                                    config.dram, shared.sets, shared.resident);
  });
  steps.emplace_back(
      [this, here] { dram = std::make_unique<Clockless<Dram>>("dram", here, config.dram); });
  steps.emplace_back([this] { router = std::make_unique<SmRouter>("sm_router", shared, sms); });
}

void BlockDiagram::plan_sms(Steps& steps, std::uint64_t construction_seed) {
  sms.resize(static_cast<std::size_t>(config.num_sms));
  for (std::int64_t number = 0; number < config.num_sms; ++number) {
    steps.emplace_back([this, number, construction_seed] {
      const StreamingMultiprocessor::Place place{number, Cycles(config.memory_bus.hop_cycles),
                                                 Cycles(config.cta_scheduler.cta_setup_cycles),
                                                 construction_seed};
      sms[static_cast<std::size_t>(number)] = std::make_unique<StreamingMultiprocessor>(
          ("sm" + std::to_string(number)).c_str(), shared, config.sm, place);
    });
  }
}

void BlockDiagram::connect_shared_units() {
  connect(l2_cache->out(&L2Cache::responses), memory_bus->in(&MemoryBus::load_data));
  connect(l2_cache->out(&L2Cache::dram), dram->in(&Dram::requests));
  connect(l2_cache->out(&L2Cache::stores_done), cta_scheduler->in(&CtaScheduler::stores_done));
  connect(dram->out(&Dram::responses), l2_cache->in(&L2Cache::fills));
  connect(memory_bus->out(&MemoryBus::to_l2), l2_cache->in(&L2Cache::stores));
  connect(memory_bus->out(&MemoryBus::to_shared_memory), router->fills);
  connect(memory_bus->out(&MemoryBus::to_epilogue), router->accepted);
  connect(cta_scheduler->out(&CtaScheduler::assignments), router->assignments);
}

void BlockDiagram::connect_sm(StreamingMultiprocessor& sm) {
  connect(sm.loads, l2_cache->in(&L2Cache::loads));
  connect(sm.stores, memory_bus->in(&MemoryBus::stores));
  connect(sm.ctas_done, cta_scheduler->in(&CtaScheduler::ctas_done));
  connect(router->to_assignments, sm.assignments);
  connect(router->to_fills, sm.fills);
  connect(router->to_accepted, sm.accepted);
}

std::int64_t BlockDiagram::activations() const {
  std::int64_t sum = router->activations();
  for (const ClocklessUnit* const unit : shared_units_) sum += unit->activations();
  for (const auto& sm : sms) sum += sm->activations();
  return sum;
}

}  // namespace stcsim
