#pragma once

#include <string_view>

namespace stcsim {

/// A figure of results as documents have it. Every result has a list of them beside its members,
///
///   template <class Self, class Visit>
///   void visit_figures(Self& self, Visit& visit);
///
/// which calls `visit(key, self.member)` in the order of the documents, or `visit(key, value)` of
/// what is computed. JSON, CSV, reader and check are visitors (common/io/figures.hpp).
struct FigureKey {
  std::string_view name;
  /// Empty for names, counts and ratios.
  std::string_view unit = "";
  /// Its meaning, in one line.
  std::string_view help = "";
  /// Its place among what a golden file keeps, from 1; 0 if that does not keep it.
  int kept = 0;
  /// Older documents of the same schema may lack it.
  bool is_later = false;
};

/// The figures that most results have.
inline constexpr FigureKey kCyclesKey{"cycles", "cycles", "Cycles of the machine's clock"};
inline constexpr FigureKey kDenseCyclesKey{"dense_cycles", "cycles", "Cycles of the dense kernels"};
inline constexpr FigureKey kTimeUsKey{"time_us", "us", "Time"};
inline constexpr FigureKey kDenseTimeUsKey{"dense_time_us", "us", "Time of the dense kernels"};
inline constexpr FigureKey kSpeedupKey{"speedup", "", "Dense time / time"};

/// `key` as what a golden file keeps, at that place.
[[nodiscard]] constexpr FigureKey kept(FigureKey key, int place) {
  key.kept = place;
  return key;
}
/// `key` as what older documents lack.
[[nodiscard]] constexpr FigureKey later(FigureKey key) {
  key.is_later = true;
  return key;
}

}  // namespace stcsim
