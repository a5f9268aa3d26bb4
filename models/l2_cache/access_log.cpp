#include "models/l2_cache/access_log.hpp"

namespace stcsim {

void L2AccessLog::drop_before(std::int64_t batch) {
  const std::int64_t count = batch - dropped_;
  if (count == std::ssize(batches_)) return drop_all();
  if (count < std::ssize(batches_) / 2) return;
  const std::size_t loads = batches_[static_cast<std::size_t>(count)].first_load;
  batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(count));
  loads_.erase(loads_.begin(), loads_.begin() + static_cast<std::ptrdiff_t>(loads));
  for (L2Batch& left : batches_) left.first_load -= loads;
  dropped_ = batch;
}

void L2AccessLog::drop_all() {
  dropped_ = end();
  batches_.clear();
  loads_.clear();
}

}  // namespace stcsim
