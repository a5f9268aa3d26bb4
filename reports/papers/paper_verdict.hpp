#pragma once

#include <string>

#include "reports/papers/paper_answer.hpp"

namespace stcsim {

inline constexpr const char* kReproduced = "reproduced";
inline constexpr const char* kDirectionOnly = "direction only";
inline constexpr const char* kNotReproduced = "not reproduced";
inline constexpr const char* kNotToldApart = "cannot be told apart";

/// By what part of the nearer end of the published range a value lies outside it; 0 inside. Of
/// `points` the difference itself.
[[nodiscard]] double deviation_of(const PublishedFigure& published, PaperUnit unit, double value);

/// "reproduced": where the answer lies meets what was published, widened by `tolerance` of it (of
///   `points` by so many of them);
/// "cannot be told apart": that, but it also meets no effect at all, which the paper's figure does
///   not;
/// "direction only": it does not, but is on the same side of no effect;
/// "not reproduced".
[[nodiscard]] std::string verdict_of(const PublishedFigure& published,
                                     const PaperQuantity& quantity, double tolerance,
                                     const PaperAnswer& answer);

}  // namespace stcsim
