#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "reports/design/design_report.hpp"
#include "reports/sweep/sweep_table.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json values_json(const DesignSpace& space, std::size_t machine) {
  ordered_json values = ordered_json::object();
  for (std::size_t at = 0; at < space.resources().size(); ++at) {
    for (const std::size_t axis : space.resources()[at].axes) {
      values[space.space().axes[axis].name] =
          label_json(space.label(axis, space.lattice().level(machine, at)));
    }
  }
  return values;
}

ordered_json machine_json(const Design& design, const DesignMachine& machine) {
  ordered_json factors = ordered_json::object();
  for (std::size_t at = 0; at < design.space.resources().size(); ++at) {
    const std::size_t level = design.space.lattice().level(machine.machine, at);
    add_figures(factors, {{design.space.resources()[at].name, design.space.factor(at, level)}});
  }
  ordered_json bound_by = ordered_json::object();
  for (const auto& [unit, share] : machine.work.bound_by) bound_by[unit] = share;
  return figures({{"values", values_json(design.space, machine.machine)},
                  {"factors", factors},
                  {kSpeedupKey, machine.speedup_same},
                  {"speedup_over_base", machine.speedup_base},
                  {"time_us", machine.work.time_us},
                  {"dense_time_us", machine.work.dense_time_us},
                  {"joules", machine.work.joules},
                  {"dense_joules", machine.work.dense_joules},
                  {"watts", machine.work.watts()},
                  {"area_mm2", machine.area_mm2},
                  {"area_ratio", machine.area_ratio},
                  {"dram_gb_per_s", machine.dram_gb_per_s},
                  {"bound_by", bound_by},
                  {"reasons", machine.work.reasons}});
}

/// A zip's name, or what tables of sweeps call its axis.
std::string title_of(const DesignSpace& space, const Resource& resource) {
  const std::vector<std::string> names = names_of(space.space().axes);
  const std::string& axis = names[resource.axes.front()];
  const bool is_zip = resource.axes.size() > 1 || resource.name != short_name(axis, names);
  return is_zip ? resource.name : axis_words(axis, names).text();
}

ordered_json resource_json(const Design& design, std::size_t at) {
  const DesignSpace& space = design.space;
  const Resource& resource = space.resources()[at];
  const ResourceGains& gains = design.resources[at];
  const std::size_t level = space.lattice().level(design.answer.machine, at);
  ordered_json values = ordered_json::object();
  for (const std::size_t axis : resource.axes) {
    ordered_json all = ordered_json::array();
    for (std::size_t one = 0; one < space.lattice().size(at); ++one) {
      all.push_back(label_json(space.label(axis, one)));
    }
    values[space.space().axes[axis].name] = all;
  }
  return figures({{"name", resource.name},
                  {"title", title_of(space, resource)},
                  {"values", values},
                  {"level", level},
                  {"factor", space.factor(at, level)},
                  {"order", gains.order},
                  {"gain_alone", gains.alone},
                  {"area_alone", gains.area},
                  {"gain_in_answer", gains.in_answer},
                  {"gain_beyond", gains.beyond}});
}

ordered_json way_json(const Design& design) {
  ordered_json way = ordered_json::array();
  for (std::size_t step = 0; step < design.way.size(); ++step) {
    ordered_json names = ordered_json::array();
    for (const std::size_t at : design.way[step].resources) {
      names.push_back(design.space.resources()[at].name);
    }
    ordered_json entry = figures({{"grows", names}, {"gain", design.way[step].gain}});
    entry.update(machine_json(design, design.way_machines[step]));
    way.push_back(std::move(entry));
  }
  return way;
}

ordered_json question_json(const Design& design) {
  const DesignQuestion& question = design.question;
  ordered_json budgets = ordered_json::object();
  for (const auto& [name, most] : question.budgets) budgets[name] = most;
  const std::optional<SpeedupGoal>& goal = question.at_least;
  return figures(
      {{"kind", goal ? "cheapest" : "fastest"},
       {"at_least", goal ? std::optional(design.goal) : std::nullopt},
       {"share_of_ideal", goal && goal->is_share ? std::optional(goal->value) : std::nullopt},
       {"least", question.least},
       {"budgets", budgets},
       {"against", design.against == Against::same ? "same" : "base"},
       {"of", to_string(design.of)},
       {"slack", question.slack}});
}

ordered_json work_json(const SweepPoint& point) {
  ordered_json entry = ordered_json::object();
  for (const auto& [name, label] : point.values) {
    if (name.substr(0, name.find('.')) != "machine") entry[name] = label;
  }
  if (point.kind == PointKind::gemm) {
    add_figures(entry, {{"m", point.gemm.m},
                        {"n", point.gemm.n},
                        {"k", point.gemm.k},
                        {"pattern", point.gemm.a_pattern},
                        {"repeat", point.repeat}});
  }
  return entry;
}

}  // namespace

std::string design_to_json(const Design& design) {
  const Space& space = design.space.space();
  ordered_json document = document_head("stcsim.design/1", space.config_hash);
  document["config"] = config_object(space.resolved_config);
  std::vector<ordered_json> resources;
  for (std::size_t at = 0; at < design.resources.size(); ++at) {
    resources.push_back(resource_json(design, at));
  }
  add_figures(document, {{"space", space.name},
                         {"question", question_json(design)},
                         {"work", figures_of_each(design.work, &work_json)},
                         {"ideal", design.ideal},
                         {"machines", design.machines},
                         {"machines_searched", design.searched},
                         {"machines_simulated", design.simulated},
                         {"unevenness", design.unevenness},
                         {"area_table", design.area_table},
                         {"is_reached", design.is_reached},
                         {"base", machine_json(design, design.base)},
                         {"answer", machine_json(design, design.answer)},
                         {"largest", machine_json(design, design.largest)},
                         {"resources", resources},
                         {"way", way_json(design)}});
  return document_text(document);
}

}  // namespace stcsim
