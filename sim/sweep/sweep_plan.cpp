#include "sim/sweep/sweep_plan.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/config_field.hpp"
#include "common/io/field_json.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/suggestion.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/gemm_layouts.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kPatternKey = "pattern";
constexpr IntRange kExtent{1, 1'000'000'000};
/// What stands before the message of an error, behind its place if it has one.
constexpr std::string_view kErrorMark = "error: ";

/// An axis that a point has a value of.
struct Chosen {
  const Axis* axis;
  const AxisValue* value;
};

/// A point's axes that begin so; the first is the space's list, if it is of one.
std::vector<Chosen> chosen_of(const Space& space, const Assignment& values, std::string_view root) {
  std::vector<Chosen> all;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at] == nullptr || space.axes[at].root() != root) continue;
    all.push_back({&space.axes[at], values[at].get()});
  }
  return all;
}

std::string labels_of(std::string text, const std::vector<Chosen>& all) {
  for (const Chosen& one : all) text += "\n" + one.value->label;
  return text;
}

/// Sets what the axes below a list say; the key `but` is left out.
void set_values(YamlNode& node, const std::vector<Chosen>& all, std::string_view but = {}) {
  for (const auto& [axis, value] : all) {
    const std::string key = axis->key();
    if (!key.empty() && key != but) set_value(node, key, value->node, axis->where);
  }
}

/// An entry of a space's list of GEMMs as a map: "1024x8192x1024" is {m: 1024, n: 8192, k: 1024}.
YamlNode gemm_map(const YamlNode& entry) {
  if (entry.is_map()) return entry;
  constexpr const char* kRight = "a size such as 1024x8192x1024 (m, n, k), or a map";
  YamlNode map{YamlKind::map, "", false, entry.location, {}, {}};
  std::istringstream sizes(entry.is_scalar() ? entry.text : "");
  for (const char* const key : {"m", "n", "k"}) {
    YamlNode size{YamlKind::scalar, "", false, entry.location, {}, {}};
    std::getline(sizes, size.text, 'x');
    if (!int_of(size)) refuse(entry, "gemms", kRight);
    map.entries.push_back({key, entry.location, std::move(size)});
  }
  if (!sizes.eof()) refuse(entry, "gemms", kRight);
  return map;
}

/// @param dtype  where the map has none
void read_gemm(const YamlNode& map, DataType dtype, SweepPoint& point) {
  MapReader reader(map, "");
  GemmProblem& gemm = point.gemm;
  static_cast<void>(reader.get_string_or("name", ""));
  gemm.m = reader.get_int("m", kExtent);
  gemm.n = reader.get_int("n", kExtent);
  gemm.k = reader.get_int("k", kExtent);
  gemm.batch_count = reader.get_int_or("batch_count", 1, kExtent);
  point.repeat = reader.get_int_or("repeat", 1, kExtent);
  gemm.dtype = reader.get_dtype_or("dtype", dtype);
  gemm.a_pattern = reader.get_pattern_or("pattern", kDense);
  const auto layouts = reader.get_enum_or("layout", OperandLayouts{}, kOperandLayouts);
  gemm.a_layout = layouts.a;
  gemm.b_layout = layouts.b;
  gemm.c_layout = reader.get_enum_or("c_layout", OutputLayout::row_major, kOutputLayouts);
  reader.finish();
  try {
    validate(gemm, "the GEMM");
  } catch (const ConfigError& error) {
    throw ConfigError(map.location, std::string(error.what()).substr(kErrorMark.size()));
  }
}

/// Plain keys that GEMM points have too. @return the type of GEMMs that do not say theirs
DataType read_gemm_settings(const YamlNode& settings, SweepPoint& point) {
  MapReader map(settings, "");
  const DataType dtype = map.get_dtype_or("dtype", DataType::fp16);
  point.policy.kernel = map.get_string_or("kernel", "auto");
  point.policy.stack = map.get_string_or("stack", "");
  if (map.has("kernel_candidates")) {
    point.policy.candidates = map.get_int("kernel_candidates", {1, 1000});
  }
  point.policy.sampled = map.get_bool_or("sampled", false);
  point.where = map.get_enum_or("sparse_where", point.where, names_until(SparseWhere::faster));
  if (map.has("clock_mhz")) {
    point.clock_mhz = map.get_double("clock_mhz", {1.0, MachineConfig::kMostMhz});
  }
  return dtype;
}

void check_stack(const SweepPoint& point) {
  const std::string& stack = point.policy.stack;
  if (stack.empty()) return;
  const std::vector<std::string> names = point.machine->spec.config.stack_names();
  if (std::ranges::find(names, stack) != names.end()) return;
  throw ConfigError(
      point.settings->node.find("stack")->location,
      fmt::format("'stack' is '{}', must be a stack of {} ({}){}", stack, point.machine->spec.name,
                  fmt::join(names, ", "), did_you_mean(stack, names)));
}

/// Throws the error anew, at its place, with more at its end.
[[noreturn]] void rethrow(const ConfigError& error, const std::string& more) {
  const std::string text = error.what();
  const std::size_t mark = text.find(kErrorMark);
  const std::string message = text.substr(mark + kErrorMark.size()) + more;
  if (mark == 0) throw ConfigError(message);
  throw ConfigError({text.substr(0, mark - 2), 0, 0}, message);
}

/// Makes points of assignments. Whatever several points share is read once.
class Planner {
 public:
  explicit Planner(const Space& space) : space_(space), maker_(space) {}

  SweepPoint point(PointKind kind, const Assignment& values) {
    SweepPoint point;
    point.kind = kind;
    std::string more;  // ", at machine a100, machine.clock_mhz 0": lists of one value are left out
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (values[at] == nullptr) continue;
      const Axis& axis = space_.axes[at];
      point.values.emplace_back(axis.name, values[at]->label);
      if (axis.values.size() == 1) continue;
      more += fmt::format("{}{} {}", more.empty() ? ", at " : ", ", axis.name, values[at]->label);
    }
    try {
      take_machine(point, values);
      take_settings(point, values);
      if (kind == PointKind::gemm) {
        take_gemm(point, values);
      } else {
        take_step(point, values);
      }
    } catch (const ConfigError& error) {
      rethrow(error, more);
    }
    return point;
  }

 private:
  void take_machine(SweepPoint& point, const Assignment& values) {
    std::shared_ptr<const SweepMachine>& machine =
        machines_[labels_of("", chosen_of(space_, values, "machine"))];
    if (machine == nullptr) machine = std::make_shared<const SweepMachine>(maker_.make(values));
    point.machine = machine;
    parts_ = machine->digest;
  }

  void take_settings(SweepPoint& point, const Assignment& values) {
    std::vector<Chosen> plain;
    for (std::size_t at = 0; at < values.size(); ++at) {
      const SpaceRoot* const root = find_root(space_.axes[at].root());
      if (values[at] != nullptr && root->is_plain()) {
        plain.push_back({&space_.axes[at], values[at].get()});
      }
    }
    std::shared_ptr<const SweepPart>& part =
        parts_of_[labels_of(point.kind == PointKind::gemm ? "gemm" : "step", plain)];
    if (part == nullptr) {
      YamlNode node{YamlKind::map, "", false, {}, {}, {}};
      for (const YamlEntry& setting : space_.settings) {
        if (concerns(setting.key, point.kind)) node.entries.push_back(setting);
      }
      for (const auto& [axis, value] : plain) {
        node.entries.push_back({axis->name, axis->where, value->node});
      }
      const std::string digest = sha256_hex(canonical_json(node));
      part = std::make_shared<const SweepPart>(SweepPart{std::move(node), digest});
    }
    point.settings = part;
    parts_ += part->digest;
  }

  void take_gemm(SweepPoint& point, const Assignment& values) const {
    const std::vector<Chosen> chosen = chosen_of(space_, values, "gemm");
    const DataType dtype = read_gemm_settings(point.settings->node, point);
    YamlNode node = gemm_map(chosen.front().value->node);
    set_values(node, chosen);
    read_gemm(node, dtype, point);
    check_stack(point);
    finish(point, canonical_json(node));
  }

  void take_step(SweepPoint& point, const Assignment& values) {
    const auto part = [&](ConfigKind kind, const char* root, const auto& json_of) {
      const std::vector<Chosen> chosen = chosen_of(space_, values, root);
      std::shared_ptr<const SweepPart>& known = parts_of_[labels_of(root, chosen)];
      if (known != nullptr) return known;
      const bool is_scheme = kind == ConfigKind::scheme;
      YamlNode node =
          expand_entry(kind, is_scheme ? with_pattern(chosen) : chosen.front().value->node);
      set_values(node, chosen, is_scheme ? kPatternKey : "");
      MapReader map(node, "");
      const std::string digest = sha256_hex(json_of(map).dump());
      known = std::make_shared<const SweepPart>(SweepPart{std::move(node), digest});
      return known;
    };
    point.network = part(ConfigKind::network, "network",
                         [](MapReader& map) { return to_json(read_network(map)); });
    point.framework = part(ConfigKind::framework, "framework",
                           [](MapReader& map) { return to_json(read_framework(map)); });
    point.scheme = part(ConfigKind::scheme, "scheme",
                        [](MapReader& map) { return to_json(read_scheme(map)); });
    finish(point, point.network->digest + point.framework->digest + point.scheme->digest);
    // Plain keys are read with an experiment: once is enough to know that they can be.
    if (checked_settings_.insert(point.settings->digest).second) {
      static_cast<void>(experiment_of(point));
    }
  }

  /// A scheme's `pattern` replaces those of its phases as it is taken out of the file.
  static YamlNode with_pattern(const std::vector<Chosen>& chosen) {
    YamlNode entry = chosen.front().value->node;
    for (const auto& [axis, value] : chosen) {
      if (axis->key() != kPatternKey) continue;
      if (!entry.is_map()) {
        entry = {YamlKind::map, "", false, entry.location, {}, {{"name", entry.location, entry}}};
      }
      set_value(entry, kPatternKey, value->node, axis->where);
    }
    return entry;
  }

  void finish(SweepPoint& point, const std::string& work) const {
    std::string text = point.kind == PointKind::gemm ? "gemm\n" : "step\n";
    for (const auto& [name, label] : point.values) text += fmt::format("{}={}\n", name, label);
    point.key = sha256_hex(text + parts_ + work);
  }

  const Space& space_;
  /// Digests of the parts that the point has so far.
  std::string parts_;
  MachineMaker maker_;
  std::map<std::string, std::shared_ptr<const SweepMachine>> machines_;
  /// Settings, networks, schemes and frameworks.
  std::map<std::string, std::shared_ptr<const SweepPart>> parts_of_;
  std::set<std::string> checked_settings_;
};

}  // namespace

YamlNode MachineMaker::node(const Assignment& values) {
  const std::vector<Chosen> chosen = chosen_of(space_, values, "machine");
  const AxisValue& listed = *chosen.front().value;
  auto file = files_.find(listed.label);
  if (file == files_.end()) {
    file = files_.emplace(listed.label, expand_entry(ConfigKind::machine, listed.node)).first;
  }
  YamlNode node = file->second;
  set_values(node, chosen);
  return node;
}

SweepMachine MachineMaker::make(const Assignment& values) {
  YamlNode own = node(values);
  MachineSpec spec = read_machine(own);
  const nlohmann::json json = to_json(spec.config);
  return {std::move(spec), std::move(own), sha256_hex(json.dump())};
}

MachineConfig MachineMaker::config(const Assignment& values) {
  return read_machine(node(values)).config;
}

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
