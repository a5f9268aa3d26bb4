// Every kind of file is read by its table of keys, and by nothing else.
#include "cli/list/field_kinds.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_reader.hpp"
#include "curves/published.hpp"
#include "reports/tta/tta_config.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/machine_config.hpp"
#include "sim/config/system.hpp"
#include "sim/config/training_plan.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/sweep/space.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

using Read = std::function<void(MapReader&)>;

/// A kind whose files are maps: the shipped ones, and their reader.
struct MapKind {
  std::vector<YamlNode> files;
  Read read;
};

std::size_t size_of(const YamlNode& node) {
  std::size_t size = 1;
  for (const YamlNode& item : node.items) size += size_of(item);
  for (const YamlEntry& entry : node.entries) size += size_of(entry.value);
  return size;
}

/// The smallest first: the first that has a key is read with it.
std::vector<YamlNode> shipped(ConfigKind kind, const char* below = "") {
  std::vector<YamlNode> files;
  for (const CatalogEntry& entry : list_configs(kind)) {
    YamlNode file = load_by_name(kind, entry.path.string());
    const std::string key = below;
    const bool is_half = kind == ConfigKind::space && file.find("experiment") != nullptr;
    if (is_half) continue;  // the rest is the experiment's
    if (key.empty()) files.push_back(std::move(file));
    if (!key.empty() && file.find(key) != nullptr) files.push_back(*file.find(key));
  }
  std::ranges::stable_sort(files, {}, size_of);
  return files;
}

template <class Config>
Read by_table() {
  return [](MapReader& map) { static_cast<void>(read_fields<Config>(map)); };
}

/// What no shipped experiment does.
constexpr const char* kOwnFiles =
    "task: {type: files, inputs: a.npy, labels: b.npy}\noptimizer: {type: sgd, learning_rate: 1}\n";

std::map<std::string_view, MapKind> map_kinds() {
  std::vector<YamlNode> trainings = shipped(ConfigKind::experiment, kTrainingKey);
  trainings.push_back(parse_yaml(kOwnFiles, "own.yaml").root);
  return {
      {"machine", {shipped(ConfigKind::machine), [](MapReader& map) { (void)read_machine(map); }}},
      {"library", {shipped(ConfigKind::library), by_table<LibraryFile>()}},
      {"framework",
       {shipped(ConfigKind::framework), [](MapReader& map) { (void)read_framework(map); }}},
      {"scheme", {shipped(ConfigKind::scheme), [](MapReader& map) { (void)read_scheme(map); }}},
      {"network", {shipped(ConfigKind::network), [](MapReader& map) { (void)read_network(map); }}},
      {"tta", {shipped(ConfigKind::experiment, kTimeToAccuracyKey), by_table<TtaConfig>()}},
      {"training", {trainings, by_table<training::TrainingPlan>()}},
      {"space", {shipped(ConfigKind::space), by_table<SpaceFile>()}},
      {"system", {shipped(ConfigKind::system), by_table<SystemConfig>()}},
      {"cost", {shipped(ConfigKind::cost), by_table<CostTable>()}},
      {"experiment", {shipped(ConfigKind::experiment), [](MapReader& map) {
                        static_cast<void>(load_experiment(YamlDocument{"", map.node()}, {}));
                      }}}};
}

std::string error_reading(const Read& read, const YamlNode& file) {
  try {
    MapReader map(file, "");
    read(map);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

/// The maps of a file at a path of ListedField.
void collect(YamlNode& node, const std::string& path, std::vector<YamlNode*>& found) {
  if (path.empty()) {
    if (node.is_map()) found.push_back(&node);
    return;
  }
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string key = path.substr(0, dot);
  const std::string rest = dot == path.size() ? "" : path.substr(dot + 1);
  if (key == "*") {
    for (YamlNode& item : node.items) collect(item, rest, found);
  } else if (YamlNode* const inner = node.is_map() ? node.find(key) : nullptr) {
    collect(*inner, rest, found);
  }
}

/// What is said of a file with this key, in some map of a shipped file, with a value that none has.
/// Keys that some maps know and others do not are tried in all.
std::string error_with_key(const MapKind& kind, const std::string& parent, std::string_view key,
                           bool in_any_map) {
  std::string error = "no shipped file has " + parent;
  for (YamlNode file : kind.files) {
    std::vector<YamlNode*> maps;
    collect(file, parent, maps);
    for (YamlNode* const map : maps) {
      const YamlNode before = *map;
      std::erase_if(map->entries, [&](const YamlEntry& entry) { return entry.key == key; });
      map->entries.push_back({std::string(key), {}, {YamlKind::list, "", false, {}, {}, {}}});
      error = error_reading(kind.read, file);
      *map = before;
      if (!in_any_map || error.find("unknown key") == std::string::npos) return error;
    }
  }
  return error;
}

TEST(FieldKinds, AreTenAtLeast) {
  std::set<std::string_view> names;
  for (const FieldKind& kind : field_kinds()) names.insert(kind.name);
  EXPECT_EQ(names.size(), field_kinds().size());
  EXPECT_GE(names.size(), 10U);
}

TEST(FieldKinds, ShippedFilesAreReadByTheirTables) {
  for (const auto& [name, kind] : map_kinds()) {
    EXPECT_FALSE(kind.files.empty()) << name;
    for (const YamlNode& file : kind.files) EXPECT_EQ(error_reading(kind.read, file), "accepted");
  }
}

TEST(FieldKinds, EveryKeyIsKnownAndNoOther) {
  const std::map<std::string_view, MapKind> kinds = map_kinds();
  for (const FieldKind& kind : field_kinds()) {
    const auto known = kinds.find(kind.name);
    if (known == kinds.end()) continue;  // a table of rows
    SCOPED_TRACE(kind.name);
    std::set<std::string> parents;
    for (const ListedField& listed : kind.fields()) {
      const std::string error =
          error_with_key(known->second, listed.parent, listed.field.key, true);
      if (error.starts_with("no shipped file")) continue;
      EXPECT_EQ(error.find("unknown key"), std::string::npos) << listed.path() << ": " << error;
      parents.insert(listed.parent);
    }
    for (const std::string& parent : parents) {
      const std::string error = error_with_key(known->second, parent, "unheard_of", false);
      EXPECT_NE(error.find("unknown key 'unheard_of'"), std::string::npos)
          << parent << ": " << error;
      EXPECT_NE(error.find("; known keys: "), std::string::npos) << error;
    }
    EXPECT_TRUE(parents.contains(""));
  }
}

/// Of kinds that are tables of rows.
TEST(FieldKinds, ColumnsAreTheKeysOfTheirTables) {
  const std::filesystem::path folder = STCSIM_SOURCE_DIR "/configs/curves";
  EXPECT_FALSE(curves::read_published_finals(folder / "final_values.csv").empty());
  EXPECT_FALSE(curves::read_published_crossings(folder / "to_target.csv").empty());
  EXPECT_FALSE(curves::read_published_seeds(folder / "seeds.csv").empty());
  for (const FieldKind& kind : field_kinds()) {
    const std::filesystem::path file = folder / (std::string(kind.name) + ".csv");
    if (!std::filesystem::exists(file)) continue;
    std::vector<std::string> keys;
    for (const ListedField& listed : kind.fields()) keys.push_back(listed.path());
    EXPECT_NO_THROW(CsvTable::read(file).check_columns(keys, {})) << kind.name;
    keys.pop_back();
    EXPECT_THROW(CsvTable::read(file).check_columns(keys, {}), ConfigError) << kind.name;
  }
}

}  // namespace
}  // namespace stcsim
