#include "reports/validation/system_rows.hpp"

#include <utility>

#include "common/io/csv_table.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/field_reader.hpp"

namespace stcsim {
namespace {

/// The columns of both tables.
void visit_common(MeasuredSystem& row, auto& visitor) {
  visitor.field(field::text("source", "who published it"), row.source);
  visitor.field(field::text("gpu", "as published"), row.gpu);
  visitor.field(field::text("system", "file of configs/systems").optional(), row.system);
  visitor.field(field::one_of("use", "of the row", RowUse::shown), row.use);
  visitor.field(field::positive("gpus", "all of them"), row.gpus);
  visitor.field(field::text("note", "what else there is to say").optional(), ReadElsewhere());
}

struct CollectiveColumns {
  MeasuredSystem row;
  CollectiveOp collective = CollectiveOp::all_reduce;
  std::optional<double> time_us;
  std::optional<double> bus_gb_per_s;

  static void visit_fields(auto& self, auto& visitor) {
    const auto amount = [](std::string_view key, std::string_view help) {
      return field::real(key, help).above(0, field::kMostBytes);
    };
    visit_common(self.row, visitor);
    visitor.field(field::one_of("collective", "that was timed", CollectiveOp::all_to_all),
                  self.collective);
    visitor.field(field::positive("nodes", "that have the GPUs"), self.row.nodes);
    visitor.field(amount("bytes", "of the whole"), self.row.bytes);
    visitor.field(amount("time_us", "of one").optional(), self.time_us);
    visitor.field(amount("bus_gb_per_s", "in place of a time").optional(), self.bus_gb_per_s);
  }

  [[nodiscard]] MeasuredSystem measured(const MapReader& map) {
    if (time_us.has_value() == bus_gb_per_s.has_value()) {
      map.fail("bytes", "a row must have one of time_us and bus_gb_per_s");
    }
    row.collective = collective;
    const Collective what{collective, row.bytes, row.gpus, row.nodes};
    // Bus bandwidth falls as the time grows.
    row.us = time_us ? *time_us : stcsim::bus_gb_per_s(what, 1) / *bus_gb_per_s;
    if (row.system.empty()) row.unusable = "no system for GPU '" + row.gpu + "'";
    return std::move(row);
  }
};

struct TrainingColumns {
  MeasuredSystem row;
  double value = 0;
  std::string unit;
  std::int64_t tokens = 1;

  static void visit_fields(auto& self, auto& visitor) {
    visit_common(self.row, visitor);
    for (const char* const key : {"network", "task", "precision", "software"}) {
      visitor.field(field::text(key, "as published").optional(), ReadElsewhere());
    }
    visitor.field(field::real("value", "throughput").above(0, field::kMostBytes), self.value);
    visitor.field(field::text("unit", "of the value"), self.unit);
    visitor.field(field::text("series", "rows of one script").optional(), self.row.series);
    visitor.field(field::text("model", "network file").optional(), self.row.model);
    visitor.field(field::text("framework", "framework file").optional(), self.row.framework);
    visitor.field(field::type("dtype", "of the products", operand_data_types()).optional(),
                  self.row.dtype);
    visitor.field(field::positive("micro_batch", "samples"), self.row.micro_batch);
    visitor.field(field::positive("accumulation", "micro-batches"), self.row.accumulation);
    visitor.field(field::positive("tokens", "of a sample, where the unit counts those"),
                  self.tokens);
    visitor.field(field::one_of("sharding", "of the training", Sharding::fsdp).optional(),
                  self.row.parallel.sharding);
    visitor.field(
        field::type("gradients", "that travel", ParallelConfig::kGradientTypes).optional(),
        self.row.parallel.gradients);
    visitor.field(field::flag("overlap", "exchange while kernels run").optional(),
                  self.row.parallel.overlap);
    visitor.field(field::text("not_simulated", "why it is not").optional(), self.row.unusable);
  }

  [[nodiscard]] MeasuredSystem measured(const MapReader& map) {
    constexpr double kMicroseconds = 1e6;
    const bool counts_tokens = unit == "tokens/s/GPU";
    if (!counts_tokens && unit != "sequences/s" && unit != "images/s" && unit != "samples/s") {
      map.fail("unit", "'unit' is '" + unit +
                           "', must be sequences/s, images/s, samples/s or tokens/s/GPU");
    }
    const auto samples = static_cast<double>(row.micro_batch * row.accumulation);
    const auto times = static_cast<double>(counts_tokens ? tokens : row.gpus);
    row.us = samples * times / value * kMicroseconds;
    return std::move(row);
  }
};

/// A row's cells that are not empty, as a map.
YamlNode map_of(const CsvTable& table, const CsvTable::Row& row) {
  YamlNode node = parse_yaml("{}", "").root;
  node.location = row.front().where;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at].text.empty()) continue;
    YamlNode value;
    value.kind = YamlKind::scalar;
    value.text = row[at].text;
    value.location = row[at].where;
    node.entries.push_back({table.header()[at].text, row[at].where, std::move(value)});
  }
  return node;
}

template <class Columns>
MeasuredSystem read_row(const CsvTable& table, const CsvTable::Row& cells) {
  const YamlNode node = map_of(table, cells);
  MapReader map(node, "");
  Columns columns = read_fields<Columns>(map);
  columns.row.where = node.location;
  return columns.measured(map);
}

}  // namespace

std::vector<MeasuredSystem> read_measured_systems(const std::filesystem::path& path,
                                                  std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  const bool is_of_collectives = table.find_column("collective").has_value();
  std::vector<MeasuredSystem> rows;
  for (const CsvTable::Row& cells : table.rows()) {
    try {
      rows.push_back(is_of_collectives ? read_row<CollectiveColumns>(table, cells)
                                       : read_row<TrainingColumns>(table, cells));
    } catch (const ConfigError& error) {
      if (bad_rows == nullptr) throw;
      bad_rows->push_back(error);
    }
  }
  if (rows.empty() && bad_rows != nullptr && !bad_rows->empty()) {
    throw ConfigError(bad_rows->front());
  }
  return rows;
}

}  // namespace stcsim
