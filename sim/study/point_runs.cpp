#include "sim/study/point_runs.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/study/result_codec.hpp"
#include "sim/study/run_store.hpp"

namespace stcsim {

std::shared_ptr<const GemmRun> PointRun::run() const {
  return bytes.empty() ? nullptr : std::make_shared<const GemmRun>(decode(bytes));
}

PointRuns::Asked PointRuns::ask(const StudyMachine& machine, const StudyPoint& point) {
  const auto [entry, is_new] = runs_.try_emplace(machine.keys.of(point));
  PointRun& run = entry->second;
  if (!is_new) return {&run, false};
  run.machine = &machine;
  run.point = point;
  run.key = entry->first;
  if (store_ != nullptr) {
    if (std::optional<GemmRun> stored = store_->find(run.key)) {
      run.bytes = encode(*stored);
      return {&run, false};
    }
  }
  missing_.push_back(&run);
  return {&run, true};
}

std::vector<PointRun*> PointRuns::take_missing() {
  std::vector<PointRun*> missing = std::exchange(missing_, {});
  const auto place = [](const PointRun* run) {
    return std::tuple(run->machine->group, -work_class(estimated_work(run->point)),
                      std::string_view(run->key));
  };
  std::sort(missing.begin(), missing.end(),
            [&](const auto* one, const auto* other) { return place(one) < place(other); });
  return missing;
}

void PointRuns::keep(PointRun& point, const std::string& bytes) {
  if (store_ != nullptr) store_->put(point.key, decode(bytes));
  point.bytes = bytes;
  point.bytes.shrink_to_fit();
}

void PointRuns::clear() {
  runs_.clear();
  missing_.clear();
}

}  // namespace stcsim
