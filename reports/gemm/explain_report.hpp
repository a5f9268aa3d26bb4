#pragma once

#include <string>

#include "sim/explain/explanation.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// An explanation, and what it is about.
struct ExplainReport {
  std::string machine;
  std::string stack;
  double clock_mhz = 0;
  Explanation explanation;
  /// As in StudyResult.
  std::string resolved_config;
  std::string config_hash;
  /// Where its times and its gain lie; not known where errors are not.
  GemmIntervals likely = {};
};

/// The answer in one sentence: what the pattern gains, what keeps it from more, and what would
/// help.
[[nodiscard]] std::string explain_sentence(const Explanation& of);

/// The sentence, where the time goes as a chain that adds up, and what would help, in lines of at
/// most `width` columns if that can be.
[[nodiscard]] std::string explain_text(const ExplainReport& report, std::size_t width);

inline constexpr std::string_view kExplainSchema = "stcsim.explain/2";
[[nodiscard]] std::string explain_to_json(const ExplainReport& report);
/// One row for each link of the chain and each counterfactual.
[[nodiscard]] std::string explain_to_csv(const ExplainReport& report);

}  // namespace stcsim
