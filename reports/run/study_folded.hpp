#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/run/result.hpp"

namespace stcsim {

inline constexpr std::string_view kFoldedSchema = "stcsim.study_folded/1";

/// A row, and the schemes under which all else of it is the same.
struct FoldedRow {
  const ResultRow* row = nullptr;
  std::vector<std::string> schemes;

  /// "asp;sr-ste"
  [[nodiscard]] std::string scheme_names(std::string_view between = ";") const;
};

/// In order of first appearance. They point into `rows`.
[[nodiscard]] std::vector<FoldedRow> folded_rows(const std::vector<ResultRow>& rows);

/// A document of stcsim.study/2 without its repeats, stcsim.study_folded/1: `results` has `keys`,
/// the different `rows` as lists of values ({} where a row has no such key), and the `order` in
/// which each scheme has them; a row's launch is the number of one of `launches` (kernel, traffic,
/// counters, buckets).
[[nodiscard]] nlohmann::ordered_json folded_study(const nlohmann::ordered_json& study);

/// The study that was folded, key for key; any other document as it is.
/// @param file  for messages
/// @throws ConfigError if its parts do not belong together
[[nodiscard]] nlohmann::ordered_json unfolded_study(nlohmann::ordered_json document,
                                                    const std::string& file);

}  // namespace stcsim
