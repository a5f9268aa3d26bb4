#include "models/accelerator/statistic_names.hpp"

#include "models/accelerator/accelerator.hpp"
#include "models/accelerator/block_diagram.hpp"

namespace stcsim {

std::string statistic_names(AcceleratorConfig config) {
  config.num_sms = 1;
  Accelerator machine(config);
  StatisticsSum sum;
  for (const Unit* const unit : machine.diagram().telling_units()) {
    unit->add_statistics(sum, Cycle());
  }
  std::string names;
  for (const UnitTotals& totals : sum.totals()) {
    names += totals.unit;
    for (const auto& [bucket, cycles] : totals.buckets) names += " " + bucket;
    for (const Counter& counter : totals.counters) {
      names += " " + counter.name + "(" + counter.unit + ")";
    }
    names += "\n";
  }
  return names;
}

}  // namespace stcsim
