#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/cost/cost_table.hpp"
#include "sim/design/design_question.hpp"
#include "sim/design/design_space.hpp"

namespace stcsim {

/// Something that machines have more or less of.
struct Measure {
  enum class Kind : std::uint8_t { area, dram_gb_per_s, key, watts };
  Kind kind = Kind::area;
  /// Of a key: where it stands.
  std::size_t resource = 0;
  std::size_t axis = 0;
};

/// What is known of every machine of a space without simulating it.
class MachineMeasures {
 public:
  /// @param table  of areas
  /// @throws ConfigError for a machine that cannot be, or a table without areas
  MachineMeasures(const DesignSpace& space, const CostTable& table);

  /// mm2, as far as the table knows.
  [[nodiscard]] double area_mm2(std::size_t machine) const { return area_mm2_[machine]; }
  /// 1.1 is a tenth more than the base machine's.
  [[nodiscard]] double area_ratio(std::size_t machine) const;
  /// 10^9 bytes a second that DRAM has at most.
  [[nodiscard]] double dram_gb_per_s(std::size_t machine) const { return dram_gb_per_s_[machine]; }

  /// What a budget names. @throws ConfigError if that is nothing, or several things
  [[nodiscard]] Measure named(const std::string& name) const;
  /// Of a measure that needs no simulation.
  [[nodiscard]] double of(const Measure& measure, std::size_t machine) const;

 private:
  const DesignSpace& space_;
  std::vector<double> area_mm2_;
  std::vector<double> dram_gb_per_s_;
};

}  // namespace stcsim
