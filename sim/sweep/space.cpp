#include "sim/sweep/space.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/suggestion.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

/// Keys of experiments that a sweep has no use for.
constexpr std::array<const char*, 5> kNotTaken{"description", "functional", kTimeToAccuracyKey,
                                               kTrainingKey, "experiment"};

std::size_t rank_of(const Axis& axis) {
  return static_cast<std::size_t>(find_root(axis.root()) - kSpaceRoots.data());
}

/// Puts the keys of the experiment that is named under those of the space.
void take_experiment(YamlNode& space) {
  const YamlNode* const named = space.find("experiment");
  if (named == nullptr) return;
  YamlNode base =
      load_by_name(ConfigKind::experiment, read_string(*named, "experiment"), named->location);
  const bool has_frameworks = space.find("frameworks") != nullptr;
  std::erase_if(base.entries, [&](const YamlEntry& entry) {
    return std::ranges::find(kNotTaken, entry.key) != kNotTaken.end() ||
           (has_frameworks && entry.key == "framework");
  });
  std::erase_if(space.entries, [](const YamlEntry& entry) { return entry.key == "experiment"; });
  merge_over(base, space);
  space = std::move(base);
}

/// `framework`, which experiments have, as a list of one; the default if there is none.
YamlNode framework_list(MapReader& map, const SourceLocation& where) {
  if (map.has("frameworks")) {
    if (map.has("framework")) {
      map.fail("framework", "'framework' and 'frameworks' are the same, must be one of them");
    }
    return map.get_node("frameworks");
  }
  YamlNode list{YamlKind::list, "", false, where, {}, {}};
  if (map.has("framework")) {
    list.items.push_back(map.get_node("framework"));
    list.location = list.items.front().location;
  } else {
    list.items.push_back({YamlKind::scalar, kDefaultFramework, false, where, {}, {}});
  }
  return list;
}

class SpaceReader {
 public:
  SpaceReader(YamlDocument document, const std::vector<std::string>& overrides)
      : document_(with(std::move(document), overrides)), map_(document_) {}

  Space read() {
    space_.name = document_.path.stem().string();
    const auto file = read_fields<SpaceFile>(map_);
    read_lists();
    read_settings(file);
    if (file.axes != nullptr) read_axes(*file.axes);
    std::ranges::stable_sort(space_.axes, {}, &rank_of);
    read_zips(file.zip);
    for (const Dimension& together : space_.dimensions) check_distinct(together.axes);
    if (file.where != nullptr) read_constraints(*file.where);
    space_.sampling = file.sample;
    space_.accuracy = file.accuracy;
    if (file.sample) space_.sampling->where = map_.location_of("sample");
    check_drawn();
    space_.resolved_config = canonical_json(document_.root);
    space_.config_hash = sha256_hex(space_.resolved_config);
    return std::move(space_);
  }

 private:
  static YamlDocument with(YamlDocument document, const std::vector<std::string>& overrides) {
    apply_overrides(document.root, overrides);
    take_experiment(document.root);
    return document;
  }

  void read_lists() {
    space_.has_gemms = map_.has("gemms");
    space_.has_steps = map_.has("networks");
    add_list("machine", map_.get_node("machines"));
    if (space_.has_gemms) add_list("gemm", map_.get_node("gemms"));
    if (space_.has_steps) {
      add_list("network", map_.get_node("networks"));
      add_list("scheme", map_.get_node("schemes"));
      add_list("framework", framework_list(map_, document_.root.location));
    }
    if (space_.has_gemms || space_.has_steps) return;
    map_.fail("machines", "the space has no work, must have 'gemms', or 'networks' and 'schemes'");
  }

  void add_list(const char* name, const YamlNode& list) {
    if (!list.is_list()) refuse(list, name, "a list");
    space_.axes.push_back(read_axis(name, list.location, list));
  }

  void read_settings(const SpaceFile& file) {
    for (std::size_t at = 0; at < kSpaceRoots.size(); ++at) {
      const SpaceRoot& root = kSpaceRoots.at(at);
      const YamlNode* const node = file.roots.at(at);
      if (!root.is_plain() || node == nullptr) continue;
      if (!root.of_gemms && !space_.has_steps) {
        map_.fail(root.name,
                  fmt::format("'{}' has no effect: the space has no networks", root.name));
      }
      space_.settings.push_back({std::string(root.name), node->location, *node});
    }
  }

  void read_axes(const YamlNode& axes) {
    const MapReader map(axes, "axes");
    for (const YamlEntry& entry : map.node().entries) {
      check_name(entry);
      space_.axes.push_back(read_axis(entry.key, entry.key_location, entry.value));
    }
  }

  void check_name(const YamlEntry& entry) const {
    const std::string root = entry.key.substr(0, entry.key.find('.'));
    const bool is_plain = root == entry.key;
    const SpaceRoot* const known = find_root(root);
    const auto fail = [&](const std::string& message) {
      throw ConfigError(entry.key_location, fmt::format("'{}' {}", entry.key, message));
    };
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const SpaceRoot& one : kSpaceRoots) names.emplace_back(one.name);
      fail(
          "must begin with machine, network, scheme, framework or gemm, or be a plain key of "
          "experiments" +
          did_you_mean(root, names));
    }
    if (!known->is_plain() && is_plain) {
      fail(fmt::format("is the list '{}' of the space, no axis", known->list));
    }
    if (known->is_plain() && !is_plain) fail("is a plain key, must have no '.'");
    if (!(known->of_gemms && space_.has_gemms) && !(known->of_steps && space_.has_steps)) {
      fail(fmt::format("has no effect: the space has no {}",
                       known->of_gemms ? "gemms" : "networks"));
    }
    const auto& settings = space_.settings;
    if (std::ranges::find(settings, entry.key, &YamlEntry::key) != settings.end()) {
      fail("is an axis and a plain key, must be one of them");
    }
  }

  void read_zips(const YamlNode* zips) {
    std::set<std::size_t> zipped;
    if (zips != nullptr && zips->is_map()) {
      for (const YamlEntry& entry : zips->entries) read_zip(entry.key, entry.value, zipped);
    } else if (zips != nullptr) {
      read_zip("", *zips, zipped);
    }
    for (std::size_t at = 0; at < space_.axes.size(); ++at) {
      if (!zipped.contains(at)) space_.dimensions.push_back({"", {at}});
    }
    std::ranges::sort(space_.dimensions, {}, &Dimension::axes);
  }

  /// No value twice; of axes that go together, no two places alike in all of them.
  void check_distinct(const std::vector<std::size_t>& axes) const {
    const Axis& first = space_.axes[axes.front()];
    std::set<std::vector<std::string>> seen;
    for (std::size_t at = 0; at < first.values.size(); ++at) {
      std::vector<std::string> labels;
      for (const std::size_t axis : axes) labels.push_back(space_.axes[axis].values[at]->label);
      if (seen.insert(labels).second) continue;
      throw ConfigError(first.values[at]->node.location,
                        fmt::format("'{}' has '{}' twice{}", first.name, labels.front(),
                                    axes.size() > 1 ? ", and what is zipped with it too" : ""));
    }
  }

  void read_zip(const std::string& name, const YamlNode& zip, std::set<std::size_t>& zipped) {
    if (!zip.is_list() || zip.items.empty()) {
      refuse(zip, name.empty() ? "zip" : name,
             name.empty() ? "a list of axes, or a map of such lists by name" : "a list of axes");
    }
    std::vector<std::size_t> axes;
    for (const YamlNode& item : zip.items) {
      const auto axis = find_axis(space_.axes, read_string(item, "zip"));
      if (!axis) {
        throw ConfigError(item.location,
                          fmt::format("'zip' has '{}', which is no axis of the space{}", item.text,
                                      did_you_mean(item.text, names_of(space_.axes))));
      }
      if (!zipped.insert(*axis).second) {
        throw ConfigError(item.location, fmt::format("'{}' is zipped twice", item.text));
      }
      axes.push_back(*axis);
      const Axis& first = space_.axes[axes.front()];
      const Axis& other = space_.axes[*axis];
      if (first.values.size() == other.values.size() && !first.drawn && !other.drawn) continue;
      throw ConfigError(
          item.location,
          fmt::format("'{}' has {} values, must have as many as '{}', which has {}", other.name,
                      other.values.size(), first.name, first.values.size()));
    }
    std::ranges::sort(axes);
    space_.dimensions.push_back({name, std::move(axes)});
  }

  void read_constraints(const YamlNode& where) {
    const std::vector<YamlNode> one{where};
    for (const YamlNode& node : where.is_list() ? where.items : one) {
      space_.constraints.emplace_back(node, space_.axes);
    }
  }

  void check_drawn() const {
    if (space_.sampling) return;
    for (const Axis& axis : space_.axes) {
      if (!axis.drawn) continue;
      throw ConfigError(axis.drawn->where,
                        fmt::format("'{}' must have step, factor or points; without, values are "
                                    "drawn, for which the space must have 'sample'",
                                    axis.name));
    }
  }

  YamlDocument document_;
  MapReader map_;
  Space space_;
};

}  // namespace

const SpaceRoot* find_root(std::string_view name) {
  const auto found = std::ranges::find(kSpaceRoots, name, &SpaceRoot::name);
  return found == kSpaceRoots.end() ? nullptr : &*found;
}

bool concerns(const std::string& root, PointKind kind) {
  const SpaceRoot* const known = find_root(root);
  return known != nullptr && (kind == PointKind::gemm ? known->of_gemms : known->of_steps);
}

Space load_space(const std::string& name, const std::vector<std::string>& overrides) {
  const std::filesystem::path path = resolve_config(ConfigKind::space, name, "");
  return SpaceReader(load_config(ConfigKind::space, path), overrides).read();
}

Space parse_space(const std::string& text, const std::string& origin) {
  YamlDocument document = parse_yaml(text, origin);
  document.path = origin;
  return SpaceReader(std::move(document), {}).read();
}

}  // namespace stcsim
