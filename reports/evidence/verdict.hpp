#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reports/evidence/quantity.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Sorts of machines by what they can say of a published figure.
enum class MachineSort : std::uint8_t {
  built,
  /// Nobody has built it: no library was written for it.
  hypothetical,
  /// The ideal machine, whose times are counts of multiplications.
  counting
};
[[nodiscard]] MachineSort sort_of(const MachineConfig& machine);

/// A figure as published: a range, or twice the same.
struct PublishedFigure {
  double least = 0;
  double most = 0;
};

/// The answer to a row in one column.
struct PaperAnswer {
  /// The column's name.
  std::string column;
  /// The machine and software it was simulated with, or its numbers: "a100 with pytorch_eager".
  std::string where;
  double value = 0;
  /// Where the value lies, as far as that is known; else both are the value.
  double low = 0;
  double high = 0;
  /// Why it is what it is, in half a line; may be "".
  std::string because;
  /// Probability of a difference as large by chance alone; nothing where that is not known.
  std::optional<double> p_value = {};
};

/// The two sides of a verdict, which say what it is worth.
enum class VerdictKind : std::uint8_t {
  /// A measured figure, and a simulation.
  measured,
  /// One that was counted, estimated or simulated elsewhere, and a simulation.
  estimated,
  /// An accuracy, and one of our own trainings, which are of other networks: a hint, no verdict.
  training,
  /// Ours is counted or proved: a check of how the publication was read, not of what it claims.
  arithmetic,
  /// Ours was set with the published figure in view: no test.
  fitted
};

/// "against measured", "arithmetic", ...
[[nodiscard]] std::string_view to_string(VerdictKind kind);

/// The kind of a simulation beside a figure that was `obtained` so ("measured", "counted", ...).
/// Nothing where a measured figure stands beside a machine that nobody can measure, or one that
/// nobody claims ("derived") beside one that does not count.
[[nodiscard]] std::optional<VerdictKind> simulated_kind(std::string_view obtained,
                                                        MachineSort machine, bool is_fitted);

inline constexpr const char* kReproduced = "reproduced";
inline constexpr const char* kDirectionOnly = "direction only";
inline constexpr const char* kNotReproduced = "not reproduced";
inline constexpr const char* kNotToldApart = "cannot be told apart";
inline constexpr const char* kConsistent = "consistent";
inline constexpr const char* kNotConsistent = "not consistent";
inline constexpr const char* kNoTest = "no test";
inline constexpr const char* kSameDirection = "same direction";
inline constexpr const char* kOtherDirection = "other direction";
inline constexpr const char* kNoDirection = "no direction";

/// Part of a published figure by which ours may differ if nothing else is said.
inline constexpr double kUsualTolerance = 0.1;

/// By what part of the nearer end of the published range a value lies outside it; 0 inside. Of
/// `points` the difference itself.
[[nodiscard]] double deviation_of(const PublishedFigure& published, PaperUnit unit, double value);
/// "-33.7 %"; of `points` "-0.25"
[[nodiscard]] std::string deviation_text(const PublishedFigure& published, PaperUnit unit,
                                         double value);

/// "reproduced": where the answer lies meets what was published, widened by `tolerance` of it (of
///   `points` by so many of them);
/// "cannot be told apart": that, but it also meets no effect at all, which the paper's figure does
///   not, or lies beyond it;
/// "direction only": it does not, but all of it is on the same side of no effect;
/// "not reproduced".
/// Arithmetic is "consistent" where it meets, else "not consistent"; what was fitted is "no test".
/// Of own training "same direction" or "other direction", or "no direction" where one of the two
/// has none: no effect was published, or ours may be chance (p from 0.05 on).
[[nodiscard]] std::string verdict_of(VerdictKind kind, const PublishedFigure& published,
                                     Quantity quantity, double tolerance,
                                     const PaperAnswer& answer);

/// Whether the verdict leaves something to explain.
[[nodiscard]] bool is_short_of(std::string_view verdict);

/// Counts verdicts, for each kind and column: never added over kinds.
class VerdictTally {
 public:
  void add(VerdictKind kind, const std::string& column, const std::string& verdict);

  /// "against measured, A100: 2 reproduced, 9 direction only, 6 not reproduced": a line for each
  /// kind and column, by kind and then as they came.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// [{"kind": ..., "column": ..., "verdict": "reproduced", "count": 2}, ...] in the same order.
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  /// Verdicts in the order above.
  struct Part {
    VerdictKind kind = VerdictKind::measured;
    std::string column;
    std::vector<std::pair<std::string, std::size_t>> verdicts;
  };
  [[nodiscard]] Part& part_of(VerdictKind kind, const std::string& column);

  std::vector<Part> parts_;
};

}  // namespace stcsim
