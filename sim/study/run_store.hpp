#pragma once

#include <optional>
#include <string>

#include "sim/run/gemm_run.hpp"

namespace stcsim {

/// Where runs are kept under the keys of their points (result_key.hpp).
class RunStore {
 public:
  RunStore() = default;
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  virtual ~RunStore() = default;

  [[nodiscard]] virtual std::optional<GemmRun> find(const std::string& key) = 0;
  /// Stores a run, but for LaunchResult::events, which become 0: what it took to simulate is not
  /// part of what came out.
  virtual void put(const std::string& key, GemmRun run) = 0;
};

}  // namespace stcsim
