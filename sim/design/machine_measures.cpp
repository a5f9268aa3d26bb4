#include "sim/design/machine_measures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/suggestion.hpp"
#include "sim/cost/machine_area.hpp"

namespace stcsim {
namespace {

constexpr double kSquareMillimetre = 1e6;  // um2

/// "read_bytes_per_clk" of "machine.accelerator.l2_cache.read_bytes_per_clk".
bool ends_with_key(const std::string& axis, const std::string& key) {
  return axis == key || axis.ends_with("." + key);
}

}  // namespace

MachineMeasures::MachineMeasures(const DesignSpace& space, const CostTable& table) : space_(space) {
  MachineMaker maker(space.space());
  for (std::size_t machine = 0; machine < space.lattice().count(); ++machine) {
    const MachineConfig config = maker.config(space.machine_values(machine));
    area_mm2_.push_back(area_of(config, table).machine_um2 / kSquareMillimetre);
    const auto bytes_per_clk = static_cast<double>(config.accelerator.dram.bytes_per_clk);
    dram_gb_per_s_.push_back(bytes_per_clk * config.clock_mhz / 1000);
  }
}

double MachineMeasures::area_ratio(std::size_t machine) const {
  return area_mm2_[machine] / area_mm2_.front();
}

Measure MachineMeasures::named(const std::string& name) const {
  if (name == "area") return {Measure::Kind::area};
  if (name == "watts") return {Measure::Kind::watts};
  if (name == "dram_gb_per_s") return {Measure::Kind::dram_gb_per_s};
  std::vector<std::string> names{"area", "watts", "dram_gb_per_s"};
  std::vector<Measure> found;
  for (std::size_t at = 0; at < space_.resources().size(); ++at) {
    const Resource& resource = space_.resources()[at];
    names.push_back(resource.name);
    if (resource.name == name && space_.rises(resource.axes.front())) {
      return {Measure::Kind::key, at, resource.axes.front()};
    }
    for (const std::size_t axis : resource.axes) {
      const std::string& key = space_.space().axes[axis].name;
      names.push_back(key);
      if (!space_.rises(axis)) continue;
      if (ends_with_key(key, name)) found.push_back({Measure::Kind::key, at, axis});
    }
  }
  if (found.size() == 1) return found.front();
  throw ConfigError(fmt::format("'{}' is {} of the space, must be one of {}{}", name,
                                found.empty() ? "nothing" : "several keys", fmt::join(names, ", "),
                                did_you_mean(name, names)));
}

double MachineMeasures::of(const Measure& measure, std::size_t machine) const {
  if (measure.kind == Measure::Kind::area) return area_ratio(machine);
  if (measure.kind == Measure::Kind::dram_gb_per_s) return dram_gb_per_s(machine);
  return space_.value(measure.axis, space_.lattice().level(machine, measure.resource));
}

}  // namespace stcsim
