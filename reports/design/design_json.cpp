#include <cmath>

#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"
#include "common/io/yaml_value.hpp"
#include "reports/design/design_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& value, std::string_view key) {
  return value ? json_number(*value, key) : ordered_json(nullptr);
}

/// A value of an axis: a number, or "unlimited".
ordered_json value_json(const DesignSpace& space, std::size_t axis, std::size_t level) {
  const AxisValue& value = *space.space().axes[axis].values[level];
  if (const auto whole = int_of(value.node)) return *whole;
  if (const auto number = double_of(value.node)) return *number;
  return value.label;
}

/// How far a resource has grown, by its first axis; null where that is without a limit.
ordered_json factor_json(const DesignSpace& space, const Resource& resource, std::size_t level) {
  const double factor =
      space.value(resource.axes.front(), level) / space.value(resource.axes.front(), 0);
  return std::isfinite(factor) ? json_number(factor, "factor") : ordered_json(nullptr);
}

ordered_json values_json(const DesignSpace& space, std::size_t machine) {
  ordered_json values = ordered_json::object();
  for (std::size_t at = 0; at < space.resources().size(); ++at) {
    for (const std::size_t axis : space.resources()[at].axes) {
      values[space.space().axes[axis].name] =
          value_json(space, axis, space.lattice().level(machine, at));
    }
  }
  return values;
}

ordered_json machine_json(const Design& design, const DesignMachine& machine) {
  ordered_json factors = ordered_json::object();
  for (std::size_t at = 0; at < design.space.resources().size(); ++at) {
    const Resource& resource = design.space.resources()[at];
    factors[resource.name] =
        factor_json(design.space, resource, design.space.lattice().level(machine.machine, at));
  }
  ordered_json bound_by = ordered_json::object();
  for (const auto& [unit, share] : machine.work.bound_by) bound_by[unit] = share;
  return {{"values", values_json(design.space, machine.machine)},
          {"factors", factors},
          {"speedup", json_number(machine.speedup_same, "speedup")},
          {"speedup_over_base", json_number(machine.speedup_base, "speedup_over_base")},
          {"time_us", json_number(machine.work.time_us, "time_us")},
          {"dense_time_us", json_number(machine.work.dense_time_us, "dense_time_us")},
          {"joules", number_or_null(machine.work.joules, "joules")},
          {"dense_joules", number_or_null(machine.work.dense_joules, "dense_joules")},
          {"watts", number_or_null(machine.work.watts(), "watts")},
          {"area_mm2", json_number(machine.area_mm2, "area_mm2")},
          {"area_ratio", json_number(machine.area_ratio, "area_ratio")},
          {"dram_gb_per_s", json_number(machine.dram_gb_per_s, "dram_gb_per_s")},
          {"bound_by", bound_by},
          {"reasons", machine.work.reasons}};
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
      all.push_back(value_json(space, axis, one));
    }
    values[space.space().axes[axis].name] = all;
  }
  return {{"name", resource.name},
          {"values", values},
          {"level", level},
          {"factor", factor_json(space, resource, level)},
          {"order", gains.order},
          {"gain_alone", json_number(gains.alone, "gain_alone")},
          {"area_alone", json_number(gains.area, "area_alone")},
          {"gain_in_answer", json_number(gains.in_answer, "gain_in_answer")},
          {"gain_beyond", json_number(gains.beyond, "gain_beyond")}};
}

ordered_json way_json(const Design& design) {
  ordered_json way = ordered_json::array();
  for (std::size_t step = 0; step < design.way.size(); ++step) {
    ordered_json names = ordered_json::array();
    for (const std::size_t at : design.way[step].resources) {
      names.push_back(design.space.resources()[at].name);
    }
    ordered_json entry{{"grows", names}, {"gain", json_number(design.way[step].gain, "gain")}};
    entry.update(machine_json(design, design.way_machines[step]));
    way.push_back(std::move(entry));
  }
  return way;
}

ordered_json question_json(const Design& design) {
  const DesignQuestion& question = design.question;
  ordered_json budgets = ordered_json::object();
  for (const auto& [name, most] : question.budgets) budgets[name] = most;
  ordered_json json{{"kind", question.at_least ? "cheapest" : "fastest"},
                    {"at_least", nullptr},
                    {"share_of_ideal", nullptr},
                    {"least", question.least},
                    {"budgets", budgets},
                    {"against", design.against == Against::same ? "same" : "base"},
                    {"of", name_of(design.of)},
                    {"slack", question.slack}};
  if (question.at_least) json["at_least"] = json_number(design.goal, "at_least");
  if (question.at_least && question.at_least->is_share) {
    json["share_of_ideal"] = question.at_least->value;
  }
  return json;
}

ordered_json work_json(const Design& design) {
  ordered_json work = ordered_json::array();
  for (const SweepPoint& point : design.work) {
    ordered_json entry = ordered_json::object();
    for (const auto& [name, label] : point.values) {
      if (name.substr(0, name.find('.')) != "machine") entry[name] = label;
    }
    if (point.kind == PointKind::gemm) {
      entry["m"] = point.gemm.m;
      entry["n"] = point.gemm.n;
      entry["k"] = point.gemm.k;
      entry["pattern"] = point.gemm.a_pattern.to_string();
      entry["repeat"] = point.repeat;
    }
    work.push_back(std::move(entry));
  }
  return work;
}

}  // namespace

std::string design_to_json(const Design& design) {
  const Space& space = design.space.space();
  ordered_json document = document_head("stcsim.design/1", space.config_hash);
  document["config"] = config_object(space.resolved_config);
  document["space"] = space.name;
  document["question"] = question_json(design);
  document["work"] = work_json(design);
  document["ideal"] = number_or_null(design.ideal, "ideal");
  document["machines"] = design.machines;
  document["machines_searched"] = design.searched;
  document["machines_simulated"] = design.simulated;
  document["unevenness"] = json_number(design.unevenness, "unevenness");
  document["area_table"] = design.area_table;
  document["is_reached"] = design.is_reached;
  document["base"] = machine_json(design, design.base);
  document["answer"] = machine_json(design, design.answer);
  document["largest"] = machine_json(design, design.largest);
  document["resources"] = ordered_json::array();
  for (std::size_t at = 0; at < design.resources.size(); ++at) {
    document["resources"].push_back(resource_json(design, at));
  }
  document["way"] = way_json(design);
  return document_text(document);
}

}  // namespace stcsim
