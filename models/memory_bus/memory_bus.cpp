#include "models/memory_bus/memory_bus.hpp"

#include <algorithm>
#include <tuple>

#include "models/base/memory_traffic.hpp"

namespace stcsim {
namespace {

/// Sorts what happened to single SMs and calls `send(first, sms)` for every run of equal ones.
/// @param members  room for the SMs of a run
template <class Event, class Key, class Send>
void send_together(std::vector<Event>& events, SmSets& sets, SmNumbers& members, Key key,
                   Send send) {
  const auto before = [&](const Event& a, const Event& b) {
    return std::make_pair(key(a), a.sm) < std::make_pair(key(b), b.sm);
  };
  if (!std::is_sorted(events.begin(), events.end(), before)) {
    std::sort(events.begin(), events.end(), before);
  }
  for (auto at = events.begin(); at != events.end();) {
    const auto end =
        std::find_if(at, events.end(), [&](const Event& event) { return key(event) != key(*at); });
    const bool is_all_of_one =
        end - at == sets.size(at->from) &&
        std::all_of(at, end, [&](const Event& e) { return e.from == at->from; });
    if (is_all_of_one) {
      send(*at, at->from);
    } else {
      members.clear();
      std::for_each(at, end, [&](const Event& event) { members.push_back(event.sm); });
      send(*at, sets.find(members));
    }
    at = end;
  }
  events.clear();
}

}  // namespace

MemoryBus::MemoryBus(const MemoryBusConfig& config, SmSets& sets, const ResidentCtas& resident)
    : config_(config),
      sets_(sets),
      resident_(resident),
      read_ports_(static_cast<std::size_t>(sets.sms()), BeatServer(config.sm_read_bytes_per_clk)),
      write_ports_(static_cast<std::size_t>(sets.sms()),
                   BeatServer(config.sm_write_bytes_per_clk)) {}

std::int64_t MemoryBus::read_bytes_per_clk(const MemoryBusConfig& config,
                                           const KernelLaunch& kernel, std::int64_t sms) {
  const std::int64_t running = std::max<std::int64_t>(std::min(kernel.ctas(), sms), 1);
  return std::clamp<std::int64_t>(config.read_bytes_per_clk / running, 1,
                                  config.sm_read_bytes_per_clk);
}

Cycles MemoryBus::least_read_cycles(const MemoryBusConfig& config, const KernelLaunch& kernel,
                                    std::int64_t sms) {
  return Cycles(loaded_bytes(kernel) / sms / read_bytes_per_clk(config, kernel, sms));
}

Cycles MemoryBus::least_write_cycles(const MemoryBusConfig& config, const KernelLaunch& kernel,
                                     std::int64_t sms) {
  return Cycles(kernel.stored_bytes() / sms / config.sm_write_bytes_per_clk);
}

void MemoryBus::launch(const KernelLaunch& kernel) {
  const BeatServer read_port(read_bytes_per_clk(config_, kernel, sets_.sms()));
  read_ports_.assign(read_ports_.size(), read_port);
  for (BeatServer& port : write_ports_) port.reset();
  kernel_ = kernel;
  loads_per_stage_ = std::ssize(kernel.operands());
  stages_.assign(static_cast<std::size_t>(sets_.sms() * kernel.ctas_per_sm * kernel.stages),
                 Stage());
  load_data.clear();
  stores.clear();
}

std::optional<Cycle> MemoryBus::advance(Cycle now) {
  while (load_data.has_message(now)) deliver(load_data.pop(), now);
  while (stores.has_message(now)) store(stores.pop(), now);
  send_filled();
  send_stored();
  return if_ever(earliest(load_data.next_arrival(), stores.next_arrival()));
}

MemoryBus::Stage& MemoryBus::stage_of(std::int32_t sm, std::int64_t slot, std::int64_t step) {
  const std::int64_t first = (sm * kernel_.ctas_per_sm + slot) * kernel_.stages;
  return stages_[static_cast<std::size_t>(first + step % kernel_.stages)];
}

void MemoryBus::deliver(const LoadResponse& response, Cycle now) {
  const Cycles hop(config_.hop_cycles);
  for (const std::int32_t sm : sets_.members(response.sms)) {
    const std::int64_t bytes =
        resident_.at(sm, response.slot).load_bytes(kernel_, response.operand, response.step);
    const Transfer through =
        read_ports_[static_cast<std::size_t>(sm)].reserve({now, response.last}, bytes);
    Stage& stage = stage_of(sm, response.slot, response.step);
    stage.since = stage.loads == 0 ? through.first : std::min(stage.since, through.first);
    stage.full_at = stage.loads == 0 ? through.last : std::max(stage.full_at, through.last);
    stage.step = response.step;
    if (++stage.loads < loads_per_stage_) continue;
    filled_.push_back({stage.full_at + hop,
                       {response.slot, response.step, stage.since + hop, {}},
                       response.sms,
                       sm});
    stage = Stage();
  }
}

void MemoryBus::send_filled() {
  if (filled_.empty()) return;
  const auto key = [](const Filled& filled) {
    return std::make_tuple(filled.at, filled.fill.slot, filled.fill.step, filled.fill.since);
  };
  send_together(filled_, sets_, members_, key, [&](const Filled& filled, SmSet sms) {
    StageFill fill = filled.fill;
    fill.sms = sms;
    to_shared_memory->send(filled.at, fill);
  });
}

void MemoryBus::store(const StoreRequest& request, Cycle now) {
  for (const std::int32_t sm : sets_.members(request.sms)) {
    const std::int64_t bytes =
        resident_.at(sm, request.slot).valid_bytes(kernel_, request.offset, request.bytes);
    const Transfer through = write_ports_[static_cast<std::size_t>(sm)].reserve({now, now}, bytes);
    stored_.push_back({through.last, request.slot, request.offset, bytes, request.sms, sm});
  }
}

void MemoryBus::send_stored() {
  if (stored_.empty()) return;
  // One message a cycle: the cache serves what arrives together as one batch anyway.
  std::sort(stored_.begin(), stored_.end(),
            [](const Stored& a, const Stored& b) { return a.at < b.at; });
  for (auto first = stored_.begin(); first != stored_.end();) {
    const Cycle at = first->at;
    std::int64_t bytes = 0;
    for (; first != stored_.end() && first->at == at; ++first) bytes += first->valid_bytes;
    if (bytes > 0) to_l2->send(at + Cycles(config_.hop_cycles), {bytes});
  }
  const auto key = [](const Stored& stored) {
    return std::make_tuple(stored.at, stored.slot, stored.offset);
  };
  send_together(stored_, sets_, members_, key, [&](const Stored& stored, SmSet sms) {
    to_epilogue->send(stored.at, {stored.slot, sms});
  });
}

}  // namespace stcsim
