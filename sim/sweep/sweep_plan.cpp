#include "sim/sweep/sweep_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/config_field.hpp"
#include "common/io/field_json.hpp"
#include "common/io/sha256.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/machine.hpp"
#include "sim/sweep/sweep_parts.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kPatternKey = "pattern";

/// Plain keys that GEMM points have too.
struct GemmSettings {
  DataType dtype = DataType::fp16;
  KernelPolicy policy;
  SparseWhere where = SparseWhere::faster;
  std::optional<double> clock_mhz;
};

GemmSettings read_gemm_settings(const YamlNode& settings) {
  MapReader map(settings, "");
  GemmSettings read;
  read.dtype = map.get_dtype_or("dtype", read.dtype);
  read.policy.kernel = map.get_string_or("kernel", "auto");
  read.policy.stack = map.get_string_or("stack", "");
  if (map.has("kernel_candidates")) {
    read.policy.candidates = map.get_int("kernel_candidates", {1, 1000});
  }
  read.policy.sampled = map.get_bool_or("sampled", false);
  read.where = map.get_enum_or("sparse_where", read.where, names_until(SparseWhere::faster));
  if (map.has("clock_mhz")) {
    read.clock_mhz = map.get_double("clock_mhz", {1.0, MachineConfig::kMostMhz});
  }
  return read;
}

/// Throws the error anew, at its place, with more at its end.
[[noreturn]] void rethrow(const ConfigError& error, const std::string& more) {
  constexpr std::string_view kMark = "error: ";
  const std::string text = error.what();
  const std::size_t mark = text.find(kMark);
  const std::string message = text.substr(mark + kMark.size()) + more;
  if (mark == 0) throw ConfigError(message);
  throw ConfigError({text.substr(0, mark - 2), 0, 0}, message);
}

/// Makes points of assignments. Whatever several points share is read once.
class Planner {
 public:
  explicit Planner(const Space& space) : space_(space), maker_(space) {}

  SweepPoint point(PointKind kind, const Assignment& values) {
    values_ = &values;
    SweepPoint point;
    point.kind = kind;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (values[at] == nullptr) continue;
      point.values.emplace_back(space_.axes[at].name, values[at]->label);
    }
    try {
      take_machine(point);
      take_settings(point, kind);
      if (kind == PointKind::gemm) {
        take_gemm(point);
      } else {
        take_step(point);
      }
    } catch (const ConfigError& error) {
      rethrow(error, of_point(point));
    }
    return point;
  }

 private:
  /// ", at machine a100, machine.clock_mhz 0": lists of one value are left out.
  [[nodiscard]] std::string of_point(const SweepPoint& point) const {
    std::string text;
    for (const auto& value : point.values) {
      const auto axis = std::find_if(space_.axes.begin(), space_.axes.end(),
                                     [&](const Axis& one) { return one.name == value.first; });
      if (axis->values.size() == 1) continue;
      text += fmt::format("{}{} {}", text.empty() ? ", at " : ", ", value.first, value.second);
    }
    return text;
  }

  /// The labels of all axes that begin so.
  [[nodiscard]] std::string labels(std::string_view root) const {
    std::string text(root);
    for (std::size_t at = 0; at < values_->size(); ++at) {
      const AxisValuePointer& value = (*values_)[at];
      if (value != nullptr && space_.axes[at].root() == root) text += "\n" + value->label;
    }
    return text;
  }

  [[nodiscard]] const YamlNode& listed(std::string_view name) const {
    return listed_value(space_, *values_, name).node;
  }

  void set_values(YamlNode& node, std::string_view root, std::string_view but = {}) const {
    set_axis_values(node, space_, *values_, root, but);
  }

  void take_machine(SweepPoint& point) {
    std::shared_ptr<const SweepMachine>& machine = machines_[labels("machine")];
    if (machine == nullptr) {
      machine = std::make_shared<const SweepMachine>(maker_.make(*values_));
    }
    point.machine = machine;
    parts_ = machine->digest;
  }

  void take_settings(SweepPoint& point, PointKind kind) {
    std::string name = kind == PointKind::gemm ? "gemm" : "step";
    for (std::size_t at = 0; at < values_->size(); ++at) {
      const AxisValuePointer& value = (*values_)[at];
      const bool is_plain = space_.axes[at].key().empty() && !is_listed(space_.axes[at].name);
      if (value != nullptr && is_plain) name += "\n" + value->label;
    }
    std::shared_ptr<const SweepPart>& part = settings_[name];
    if (part == nullptr) {
      YamlNode node{YamlKind::map, "", false, {}, {}, {}};
      for (const PlainKey& setting : space_.settings) {
        if (!concerns(setting.name, kind)) continue;
        node.entries.push_back({setting.name, setting.where, setting.value});
      }
      for (std::size_t at = 0; at < values_->size(); ++at) {
        const Axis& axis = space_.axes[at];
        if ((*values_)[at] == nullptr || !axis.key().empty() || is_listed(axis.name)) continue;
        node.entries.push_back({axis.name, axis.where, (*values_)[at]->node});
      }
      const std::string digest = sha256_hex(canonical_json(node));
      part = std::make_shared<const SweepPart>(SweepPart{std::move(node), digest});
    }
    point.settings = part;
    parts_ += part->digest;
  }

  [[nodiscard]] static bool is_listed(std::string_view name) {
    return name == "machine" || name == "gemm" || name == "network" || name == "scheme" ||
           name == "framework";
  }

  void take_gemm(SweepPoint& point) {
    const GemmSettings settings = read_gemm_settings(point.settings->node);
    YamlNode node = gemm_map(listed("gemm"));
    set_values(node, "gemm");
    const GemmEntry entry = read_gemm(node, settings.dtype);
    point.gemm = entry.gemm;
    point.repeat = entry.repeat;
    point.policy = settings.policy;
    point.where = settings.where;
    point.clock_mhz = settings.clock_mhz;
    check_stack(point);
    finish(point, canonical_json(node));
  }

  static void check_stack(const SweepPoint& point) {
    const std::string& stack = point.policy.stack;
    if (stack.empty()) return;
    const std::vector<std::string> names = point.machine->spec.config.stack_names();
    if (std::find(names.begin(), names.end(), stack) != names.end()) return;
    throw ConfigError(
        point.settings->node.find("stack")->location,
        fmt::format("'stack' is '{}', must be a stack of {} ({}){}", stack,
                    point.machine->spec.name, fmt::join(names, ", "), did_you_mean(stack, names)));
  }

  void take_step(SweepPoint& point) {
    point.network = part(ConfigKind::network, "network", [](const YamlNode& node) {
      MapReader map(node, "");
      return to_json(read_network(map)).dump();
    });
    point.framework = part(ConfigKind::framework, "framework", [](const YamlNode& node) {
      MapReader map(node, "");
      return to_json(read_framework(map)).dump();
    });
    point.scheme = part(ConfigKind::scheme, "scheme", [](const YamlNode& node) {
      MapReader map(node, "");
      return to_json(read_scheme(map)).dump();
    });
    finish(point, point.network->digest + point.framework->digest + point.scheme->digest);
    // Plain keys are read with an experiment: once is enough to know that they can be.
    if (checked_settings_.insert(point.settings->digest).second) {
      static_cast<void>(experiment_of(point));
    }
  }

  template <class Text>
  std::shared_ptr<const SweepPart> part(ConfigKind kind, const char* root, Text text_of) {
    std::shared_ptr<const SweepPart>& part = parts_of_steps_[labels(root)];
    if (part != nullptr) return part;
    YamlNode node = entry_of(kind, root);
    set_values(node, root, kind == ConfigKind::scheme ? kPatternKey : "");
    const std::string digest = sha256_hex(text_of(node));
    part = std::make_shared<const SweepPart>(SweepPart{std::move(node), digest});
    return part;
  }

  /// A scheme's `pattern` replaces those of its phases as it is taken out of the file.
  [[nodiscard]] YamlNode entry_of(ConfigKind kind, const char* root) const {
    YamlNode entry = listed(root);
    for (std::size_t at = 0; at < values_->size(); ++at) {
      const Axis& axis = space_.axes[at];
      if (kind != ConfigKind::scheme || axis.root() != root || axis.key() != kPatternKey) continue;
      if (!entry.is_map()) {
        entry = {YamlKind::map, "", false, entry.location, {}, {{"name", entry.location, entry}}};
      }
      set_value(entry, kPatternKey, (*values_)[at]->node, axis.where);
    }
    return expand_entry(kind, entry);
  }

  void finish(SweepPoint& point, const std::string& work) const {
    std::string text = point.kind == PointKind::gemm ? "gemm\n" : "step\n";
    for (const auto& [name, label] : point.values) text += fmt::format("{}={}\n", name, label);
    point.key = sha256_hex(text + parts_ + work);
  }

  const Space& space_;
  const Assignment* values_ = nullptr;
  /// Digests of the parts that the point has so far.
  std::string parts_;
  MachineMaker maker_;
  std::map<std::string, std::shared_ptr<const SweepMachine>> machines_;
  std::map<std::string, std::shared_ptr<const SweepPart>> settings_;
  std::map<std::string, std::shared_ptr<const SweepPart>> parts_of_steps_;
  std::set<std::string> checked_settings_;
};

}  // namespace

SweepPlan plan_sweep(Space space) {
  SweepPlan plan{std::move(space), {}};
  Planner planner(plan.space);
  for (const PointKind kind : {PointKind::gemm, PointKind::step}) {
    for (const Assignment& values : expand(plan.space, kind)) {
      plan.points.push_back(planner.point(kind, values));
    }
  }
  return plan;
}

Experiment experiment_of(const SweepPoint& point) {
  return experiment_of(std::vector<const SweepPoint*>{&point});
}

Experiment experiment_of(const std::vector<const SweepPoint*>& points) {
  const auto list = [](std::vector<YamlNode> items) {
    return YamlNode{YamlKind::list, "", false, {}, std::move(items), {}};
  };
  const SweepPoint& point = *points.front();
  std::vector<YamlNode> schemes;
  if (scheme_name(point) != kBaselineScheme) {
    schemes.push_back(load_by_name(ConfigKind::scheme, kBaselineScheme));
  }
  for (const SweepPoint* const one : points) schemes.push_back(one->scheme->node);
  YamlDocument document{"", point.settings->node};
  std::vector<YamlEntry>& entries = document.root.entries;
  entries.push_back({"machines", {}, list({point.machine->node})});
  entries.push_back({"networks", {}, list({point.network->node})});
  entries.push_back({"schemes", {}, list(std::move(schemes))});
  entries.push_back({"framework", {}, point.framework->node});
  return read_experiment(document);
}

std::string scheme_name(const SweepPoint& point) {
  const YamlNode* const name = point.scheme->node.find("name");
  return name == nullptr ? "" : name->text;
}

}  // namespace stcsim
