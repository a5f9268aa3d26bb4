#include "models/l2_cache/l2_cache.hpp"

#include <algorithm>

#include "models/base/earliest.hpp"

namespace stcsim {

L2Cache::L2Cache(const L2CacheConfig& config, Cycles hop_cycles)
    : config_(config),
      hop_cycles_(hop_cycles),
      read_path_(config.read_bytes_per_clk),
      write_path_(config.write_bytes_per_clk) {}

void L2Cache::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  read_path_.reset();
  write_path_.reset();
  const auto slices_of = [&](const OperandStream& stream) {
    return kernel.batch_count * stream.distinct_strips * stream.distinct_slices;
  };
  first_b_slice_ = slices_of(kernel.a);
  const Slice absent;
  const Slice just_written{0, false, 0};
  slices_.assign(static_cast<std::size_t>(first_b_slice_),
                 kernel.a.starts_in_l2 ? just_written : absent);
  slices_.resize(static_cast<std::size_t>(first_b_slice_ + slices_of(kernel.b)),
                 kernel.b.starts_in_l2 ? just_written : absent);
  waiting_.clear();
  fills_requested_ = brought_in_ = read_bytes_ = hit_bytes_ = written_bytes_ = 0;
  loads.clear();
  stores.clear();
  fills.clear();
}

std::optional<Cycle> L2Cache::advance(Cycle now) {
  while (fills.has_message(now)) fill(fills.pop(), now);
  while (loads.has_message(now)) load(loads.pop(), now);
  while (stores.has_message(now)) store(stores.pop(), now);
  return earliest(fills.next_arrival(), earliest(loads.next_arrival(), stores.next_arrival()));
}

std::int64_t L2Cache::index_of(Operand operand, std::int64_t strip, std::int64_t slice) const {
  const std::int64_t first = operand == Operand::a ? 0 : first_b_slice_;
  return first + strip * kernel_.stream(operand).distinct_slices + slice;
}

bool L2Cache::is_resident(const Slice& slice) const {
  return slice.filled_at != kNever && brought_in_ - slice.filled_at <= config_.capacity_bytes;
}

void L2Cache::load(const LoadRequest& request, Cycle now) {
  read_bytes_ += request.bytes;
  if (request.bytes == 0) {
    if (log != nullptr)
      log->push_back({L2Access::Kind::load, false, false, false, request.operand, request.cta,
                      request.step, 0});
    return respond(request, now);
  }
  Slice& slice = slice_of(request);
  const bool missed = !slice.on_its_way && !is_resident(slice);
  if (log != nullptr) {
    log->push_back({L2Access::Kind::load, missed, (request.strip + request.slice) % 2 != 0, false,
                    request.operand, request.cta, request.step, request.bytes});
  }
  if (slice.on_its_way) {
    hit_bytes_ += request.bytes;
    waiting_.push_back({slice.fill, request});
  } else if (!missed) {
    hit_bytes_ += request.bytes;
    respond(request, now);
  } else {
    slice = {brought_in_, true, fills_requested_};
    brought_in_ += request.fill_bytes;
    waiting_.push_back({fills_requested_, request});
    dram->send(now + kOneCycle, {fills_requested_, request.fill_bytes, false});
    ++fills_requested_;
  }
}

void L2Cache::fill(const DramResponse& response, Cycle now) {
  const auto served =
      std::stable_partition(waiting_.begin(), waiting_.end(),
                            [&](const Waiting& waiting) { return waiting.fill != response.fill; });
  slice_of(served->request).on_its_way = false;
  for (auto at = served; at != waiting_.end(); ++at) respond(at->request, now);
  waiting_.erase(served, waiting_.end());
}

void L2Cache::respond(const LoadRequest& request, Cycle now) {
  const bool spans_both = request.bytes > config_.interleave_bytes;
  const bool is_far = spans_both || (request.strip + request.slice + request.sm) % 2 != 0;
  const Cycles hit(is_far ? config_.far_hit_cycles : config_.near_hit_cycles);
  const Cycle read = read_path_.reserve(now, request.bytes);
  const Cycle leaves = read + (hit - hop_cycles_ * 2);
  responses->send(std::max(leaves, now + kOneCycle),
                  {request.sm, request.slot, request.step, request.bytes});
}

void L2Cache::store(const StoreRequest& request, Cycle now) {
  const Cycle written = write_path_.reserve(now, request.bytes);
  written_bytes_ += request.bytes;
  brought_in_ += request.bytes;
  const bool kept = request.workspace && stays(written_bytes_);
  if (log != nullptr) {
    log->push_back({L2Access::Kind::store, false, false, kept, Operand::a, 0, 0, request.bytes});
  }
  if (!kept) dram->send(std::max(written, now + kOneCycle), {0, request.bytes, true});
  stores_done->send(std::max(written, now + kOneCycle), {request.bytes});
}

UnitBuckets L2Cache::read_buckets(Cycle end) const {
  const Cycles busy = read_path_.busy_until(end);
  return {{"busy", busy}, {"idle", (end - Cycle()) - busy}};
}

UnitBuckets L2Cache::write_buckets(Cycle end) const {
  const Cycles busy = write_path_.busy_until(end);
  return {{"busy", busy}, {"idle", (end - Cycle()) - busy}};
}

std::string L2Cache::waiting_for() const {
  if (waiting_.empty()) return "";
  return "L2 cache: " + std::to_string(waiting_.size()) + " requests wait for DRAM";
}

}  // namespace stcsim
