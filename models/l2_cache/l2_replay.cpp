#include "models/l2_cache/l2_cache.hpp"

namespace stcsim {

bool L2Cache::stays(std::int64_t written_bytes) const {
  return written_bytes <= config_.capacity_bytes;
}

std::int64_t L2Cache::replay(const L2AccessLog& accesses, const Period& period, std::int64_t most,
                             std::int64_t block) {
  std::int64_t written_per_period = 0;
  for (const L2Access& access : accesses) {
    if (access.kind == L2Access::Kind::store) written_per_period += access.bytes;
  }
  std::vector<Undo> undo;
  for (std::int64_t done = 0; done + block <= most; done += block) {
    undo.clear();
    const std::int64_t brought_in_before = brought_in_;
    for (std::int64_t times = done + 1; times <= done + block; ++times) {
      std::int64_t written = written_bytes_ + (times - 1) * written_per_period;
      for (const L2Access& access : accesses) {
        if (access.kind == L2Access::Kind::store) written += access.bytes;
        if (replay_access(access, period, times, written, undo)) continue;
        for (auto at = undo.rbegin(); at != undo.rend(); ++at) {
          slices_[static_cast<std::size_t>(at->slice)].filled_at = at->filled_at;
        }
        brought_in_ = brought_in_before;
        return done;
      }
    }
  }
  return most / block * block;
}

bool L2Cache::replay_access(const L2Access& access, const Period& period, std::int64_t times,
                            std::int64_t written, std::vector<Undo>& undo) {
  if (access.kind == L2Access::Kind::store) {
    brought_in_ += access.bytes;
    return !kernel_.epilogue.workspace || stays(written) == access.stays;
  }
  const std::int64_t cta = access.cta + period.ctas * times;
  const std::int64_t step = access.step + period.steps * times;
  if (cta >= kernel_.ctas()) return false;
  return replay_load(access, kernel_.position(cta), step, undo);
}

bool L2Cache::replay_load(const L2Access& access, const CtaPosition& position, std::int64_t step,
                          std::vector<Undo>& undo) {
  const std::int64_t bytes = kernel_.load_bytes(access.operand, position, step);
  if (bytes == 0) return access.bytes == 0;
  const std::int64_t strip = kernel_.distinct_strip(access.operand, position);
  const std::int64_t slice = kernel_.distinct_slice(access.operand, position, step);
  if (bytes != access.bytes || ((strip + slice) % 2 != 0) != access.odd) return false;
  const std::int64_t index = index_of(access.operand, strip, slice);
  Slice& entry = slices_[static_cast<std::size_t>(index)];
  const bool misses = !is_resident(entry);
  if (misses != access.missed) return false;
  if (misses) {
    undo.push_back({index, entry.filled_at});
    entry.filled_at = brought_in_;
    brought_in_ += kernel_.fill_bytes(access.operand, bytes);
  }
  return true;
}

}  // namespace stcsim
