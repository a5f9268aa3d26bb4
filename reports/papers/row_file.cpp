#include "reports/papers/row_file.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace {

constexpr DoubleRange kTolerance{.min = 0, .max = 10};

/// "published: 1.44", or a range "[1.3, 1.5]".
void read_published(MapReader& map, PaperRow& row) {
  if (!map.has("published")) return;
  const YamlNode& node = map.get_node("published");
  const auto number = [&](const YamlNode& one) {
    const std::optional<double> value = double_of(one);
    if (!value) map.fail("published", "'published' must be a number or [least, most]");
    return *value;
  };
  if (!node.is_list()) {
    const double value = number(node);
    row.published = {value, value};
    return;
  }
  if (node.items.size() != 2)
    map.fail("published", "'published' must be a number or [least, most]");
  row.published = {number(node.items.front()), number(node.items.back())};
  if (row.published->most < row.published->least) {
    map.fail("published", "the second number of 'published' is less than the first");
  }
}

/// Reads the map of a kind of experiment.
template <auto kRead>
std::vector<RowExperiment> read_one(MapReader& map, std::string_view key) {
  MapReader entry = map.get_map(key);
  std::vector<RowExperiment> rows;
  rows.emplace_back(kRead(entry));
  return rows;
}

/// One row, or several if it stands for several.
std::vector<RowExperiment> read_steps(MapReader& map, std::string_view key) {
  MapReader entry = map.get_map(key);
  std::vector<RowExperiment> rows;
  for (StepRow& row : read_step_rows(entry)) rows.emplace_back(std::move(row));
  return rows;
}

struct RowKind {
  std::string_view key;
  std::vector<RowExperiment> (*read)(MapReader&, std::string_view);
};

constexpr std::array<RowKind, 7> kKinds{{
    {"step", &read_steps},
    {"gemm", &read_one<&read_gemm_row>},
    {"instruction", &read_one<&read_instruction_row>},
    {"training", &read_one<&read_training_row>},
    {"mask", &read_one<&read_mask_row>},
    {"estimate", &read_one<&read_estimate_row>},
    {"trained", &read_one<&read_trained_row>},
}};

std::vector<RowExperiment> read_experiments(MapReader& map, const PaperRow& row) {
  std::vector<RowExperiment> experiments;
  std::vector<std::string_view> keys;
  for (const RowKind& kind : kKinds) {
    keys.push_back(kind.key);
    if (!map.has(kind.key)) continue;
    if (!experiments.empty() || !row.not_compared.empty()) {
      map.fail(kind.key,
               fmt::format("a row has one of {}, or not_compared", fmt::join(keys, ", ")));
    }
    experiments = kind.read(map, kind.key);
  }
  if (experiments.empty() && row.not_compared.empty()) {
    map.fail("says",
             fmt::format("this row must have one of {}, or not_compared", fmt::join(keys, ", ")));
  }
  if (experiments.empty()) experiments.emplace_back();
  return experiments;
}

/// "layer1.0.conv1 dgrad"
void name_after_layer(PaperRow& row) {
  const auto& step = std::get<StepRow>(row.experiment);
  row.setting = row.setting.empty() ? row.says : row.says + "; " + row.setting;
  row.says = step.layers.front() + " " + step.products.front();
}

}  // namespace

std::string read_obtained(MapReader& map, const std::string& otherwise) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWays{
      {{"measured", "measured"},
       {"estimated", "estimated"},
       {"counted", "counted"},
       {"derived", "derived"},
       {"accuracy", "accuracy"},
       {"proved", "proved"}}};
  return map.has("obtained") ? std::string(map.get_enum("obtained", kWays)) : otherwise;
}

double read_tolerance(MapReader& map, double otherwise) {
  return map.get_double_or("tolerance", otherwise, kTolerance);
}

std::vector<PaperRow> read_paper_rows(MapReader& map, const RowDefaults& defaults) {
  PaperRow row;
  row.says = map.get_string("says");
  row.obtained = read_obtained(map, defaults.obtained);
  row.tolerance = read_tolerance(map, defaults.tolerance);
  row.setting = map.get_string_or("setting", "");
  row.note = map.get_string_or("note", "");
  row.why = map.get_string_or("why", "");
  row.fitted = map.get_string_or("fitted", defaults.fitted);
  row.not_obtained = map.get_string_or("not_obtained", "");
  row.not_compared = map.get_string_or("not_compared", "");
  read_published(map, row);
  const std::vector<RowExperiment> experiments = read_experiments(map, row);
  map.finish();
  std::vector<PaperRow> rows(experiments.size(), row);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].experiment = experiments[i];
    if (rows.size() > 1) name_after_layer(rows[i]);
  }
  return rows;
}

}  // namespace stcsim
