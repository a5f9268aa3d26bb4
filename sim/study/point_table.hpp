#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/job/job.hpp"

namespace stcsim {

/// Numbers points in order of first use.
class PointTable {
 public:
  std::int64_t index_of(const Work& point) {
    const auto [entry, is_new] = indices_.try_emplace(point, points_.size());
    if (is_new) points_.push_back(point);
    return entry->second;
  }
  std::vector<Work> take() { return std::move(points_); }

 private:
  std::map<Work, std::int64_t> indices_;
  std::vector<Work> points_;
};

}  // namespace stcsim
