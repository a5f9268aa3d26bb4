#pragma once

#include <optional>
#include <string>

namespace stcsim {

/// Where encoded answers (answer_codec.hpp) are kept under the keys of their jobs (job_key.hpp).
class RunStore {
 public:
  RunStore() = default;
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  virtual ~RunStore() = default;

  [[nodiscard]] virtual std::optional<std::string> find(const std::string& key) = 0;
  virtual void put(const std::string& key, const std::string& answer) = 0;
};

}  // namespace stcsim
