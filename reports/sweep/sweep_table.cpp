#include "reports/sweep/sweep_table.hpp"

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// A label as it is exported: what is a number is one.
ordered_json label_json(const std::string& label) {
  YamlNode node;
  node.kind = YamlKind::scalar;
  node.text = label;
  if (const auto whole = int_of(node)) return *whole;
  if (const auto number = double_of(node)) return *number;
  return label;
}

ordered_json row_of(const SweepPoint& point, std::int64_t number, const StoredPoint& stored) {
  ordered_json row{{"point", number}, {"kind", point.kind == PointKind::gemm ? "gemm" : "step"}};
  for (const auto& [name, label] : point.values) row[name] = label_json(label);
  const ordered_json figures = ordered_json::parse(stored.figures);
  for (const auto& [key, value] : figures.items()) row[key] = value;
  return row;
}

}  // namespace

std::vector<std::string> SweepTable::columns() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : shape.items()) names.push_back(name);
  return names;
}

SweepTable sweep_table(const SweepPlan& plan, const SweepStore& store) {
  SweepTable table;
  table.shape = ordered_json::object();
  const auto points = store.points();
  const auto failures = store.failures();
  for (const SweepPoint& point : plan.points) {
    const std::int64_t number = ++table.points;
    if (const auto done = points.find(point.key); done != points.end()) {
      table.rows.push_back(row_of(point, number, done->second));
      for (const auto& [key, value] : table.rows.back().items()) {
        if (!table.shape.contains(key)) table.shape[key] = nullptr;
      }
    } else if (const auto failed = failures.find(point.key); failed != failures.end()) {
      table.failures.emplace_back(number, failed->second.message);
    } else {
      ++table.missing;
    }
  }
  return table;
}

std::string sweep_to_json(const Space& space, const SweepTable& table) {
  ordered_json document = document_head("stcsim.sweep/1", space.config_hash);
  document["config"] = config_object(space.resolved_config);
  document["space"] = space.name;
  document["points"] = table.points;
  document["missing"] = table.missing;
  document["failures"] = ordered_json::array();
  for (const auto& [number, message] : table.failures) {
    document["failures"].push_back({{"point", number}, {"message", message}});
  }
  document["rows"] = table.rows;
  return document_text(document);
}

std::string sweep_to_csv(const SweepTable& table) {
  return to_csv(table.shape, table.rows);
}

}  // namespace stcsim
