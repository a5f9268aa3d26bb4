#pragma once

#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/base/statistics.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// A box of the block diagram: a SystemC module without a process of its own. Units are nested as
/// they are constructed, so the tree of SystemC's objects is the block diagram.
class Unit : public sc_core::sc_module {
 public:
  Unit(const sc_core::sc_module_name& name, const UnitKind& kind);

  [[nodiscard]] const UnitKind& what() const { return kind_; }
  /// Units directly inside, in the order of their construction.
  [[nodiscard]] const std::vector<Unit*>& children() const { return children_; }

  [[nodiscard]] virtual bool has_statistics() const { return false; }
  /// Adds what this unit alone did in a launch that ended at `end`.
  virtual void add_statistics(StatisticsSum&, Cycle) const {}
  /// What it waits for, "" if nothing. For deadlock reports.
  [[nodiscard]] virtual std::string waiting_for() const { return ""; }

 private:
  friend std::vector<Unit*> sorted_children(const Unit& unit);

  UnitKind kind_;
  std::string_view basename_;
  std::vector<Unit*> children_;
};

/// Calls `visit(unit)` for all units below `unit`: every one before those inside it, siblings by
/// name, so that the order is the same in units that are built alike.
template <class Visit>
void for_each_below(const Unit& unit, Visit&& visit);

/// Siblings by name.
[[nodiscard]] std::vector<Unit*> sorted_children(const Unit& unit);

template <class Visit>
void for_each_below(const Unit& unit, Visit&& visit) {
  if (unit.children().empty()) return;
  for (Unit* const child : sorted_children(unit)) {
    visit(*child);
    for_each_below(*child, visit);
  }
}

}  // namespace stcsim
