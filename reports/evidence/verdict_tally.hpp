#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reports/evidence/paper_verdict.hpp"

namespace stcsim {

/// How often each verdict was given, for each kind and column: never added over kinds.
class VerdictTally {
 public:
  void add(VerdictKind kind, const std::string& column, const std::string& verdict);

  /// "against measured, A100: 2 reproduced, 9 direction only, 6 not reproduced": a line for each
  /// kind and column, by kind and then as they came.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// [{"kind": ..., "column": ..., "verdict": "reproduced", "count": 2}, ...] in the same order.
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  /// Verdicts in the order of paper_verdict.hpp.
  struct Part {
    VerdictKind kind = VerdictKind::measured;
    std::string column;
    std::vector<std::pair<std::string, std::size_t>> verdicts;
  };
  [[nodiscard]] Part& part_of(VerdictKind kind, const std::string& column);

  std::vector<Part> parts_;
};

}  // namespace stcsim
