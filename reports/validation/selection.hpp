#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/data_type.hpp"
#include "common/io/table.hpp"
#include "reports/validation/gemm_rows.hpp"

namespace stcsim {

/// Claim and gain of choosing the faster kernel by simulated times, for the 2:4 rows of a
/// machine and type that are scored. Sparse is taken where the simulated gain exceeds 1 +
/// threshold.
struct Selection {
  std::string machine;
  DataType dtype = DataType::fp16;
  std::int64_t rows = 0;
  /// Those of them that are taken to run sparse.
  std::int64_t sparse = 0;
  /// The mean |error| of simulated gains, of rows from kLargeFromUs on.
  double threshold = 0;
  /// Mean gains, 1 where dense is taken: as simulated, and as measured of the same choice.
  double claimed = 0;
  double got = 0;

  /// By how much the claim is too large.
  [[nodiscard]] double excess() const { return claimed / got - 1; }
  friend bool operator==(const Selection&, const Selection&) = default;
};

inline constexpr const char* kSelectionLegend =
    "Each GEMM runs sparse where its simulated gain exceeds 1 by more than gains are off (the mean "
    "|error| of rows from 20 us on), as `run` chooses; else dense, gain 1. Claimed: the mean of "
    "simulated gains; got: the mean of the measured gains of the same choices.";

[[nodiscard]] std::vector<Selection> selections(const std::vector<ValidationRow>& rows);
[[nodiscard]] Table selection_table(const std::vector<Selection>& selections);
[[nodiscard]] nlohmann::ordered_json selections_json(const std::vector<Selection>& selections);

}  // namespace stcsim
