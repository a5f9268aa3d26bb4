#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/evidence/machine_sort.hpp"
#include "reports/evidence/paper_answer.hpp"

namespace stcsim {

/// What stands on the two sides of a verdict, and so what it is worth.
enum class VerdictKind : std::uint8_t {
  /// A measured figure, and a simulation.
  measured,
  /// One that was counted, estimated or simulated elsewhere, and a simulation.
  estimated,
  /// An accuracy, and one of our own trainings.
  training,
  /// Ours is counted, proved or read off a machine's file: a check of how the publication was read,
  /// not of what it claims.
  arithmetic,
  /// Ours was set with the published figure in view: no test.
  fitted
};

/// "against measured", "arithmetic", ...
[[nodiscard]] std::string_view to_string(VerdictKind kind);

/// Of what a simulation gives beside a figure that was `obtained` so ("measured", "counted", ...).
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
[[nodiscard]] std::string verdict_of(VerdictKind kind, const PublishedFigure& published,
                                     const PaperQuantity& quantity, double tolerance,
                                     const PaperAnswer& answer);

/// Whether the verdict leaves something to explain.
[[nodiscard]] bool is_short_of(std::string_view verdict);

}  // namespace stcsim
