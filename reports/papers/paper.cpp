#include "reports/papers/paper.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/catalog.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/io/yaml_value.hpp"
#include "reports/validation/gemm_rows.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPaperFile = "paper.yaml";
constexpr DoubleRange kTolerance{.min = 0, .max = 10};

struct QuantityOf {
  Quantity operator()(const std::monostate& /*none*/) const { return Quantity::none; }
  template <class Row>
  Quantity operator()(const Row& row) const {
    return row.quantity;
  }
};

/// Values that rows of a figure have unless they say otherwise.
struct RowDefaults {
  std::string obtained;
  double tolerance = 0;
  std::string fitted;
};

/// "published: 1.44", or a range "[1.3, 1.5]".
PublishedFigure read_published(MapReader& map) {
  const YamlNode& node = map.get_node("published");
  const auto number = [&](const YamlNode& one) {
    const std::optional<double> value = double_of(one);
    if (!value) map.fail("published", "'published' must be a number or [least, most]");
    return *value;
  };
  if (!node.is_list()) return {number(node), number(node)};
  if (node.items.size() != 2)
    map.fail("published", "'published' must be a number or [least, most]");
  const PublishedFigure figure{number(node.items.front()), number(node.items.back())};
  if (figure.most < figure.least) {
    map.fail("published", "the second number of 'published' is less than the first");
  }
  return figure;
}

/// The gain that configs/validation/gemm.csv has of the row's GEMM from a source whose name begins
/// so, and whether machines were fitted to it.
void take_measured(MapReader& map, const std::string& source, PaperRow& row) {
  const auto* const gemm = std::get_if<GemmRow>(&row.experiment);
  if (gemm == nullptr || gemm->quantity != Quantity::kernel_gain) {
    map.fail("published", "only a gain of a 'gemm' has its 'published' from a source");
  }
  for (const MeasuredGemm& known :
       read_measured_gemms(config_directory() / "validation" / "gemm.csv")) {
    if (!known.source.starts_with(source) || known.problem != gemm->problem) continue;
    const double gain = known.measured.speedup.value_or(0);
    row.published = {gain, gain};
    if (known.use == RowUse::fitting) row.fitted = "looked at when the machine's kernels were set";
    return;
  }
  map.fail("published", fmt::format("gemm.csv has no such GEMM of '{}'", source));
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

constexpr std::array<RowKind, 6> kKinds{{
    {"step", &read_steps},
    {"gemm", &read_one<&read_gemm_row>},
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

/// "measured", "estimated", ...
std::string read_obtained(MapReader& map, const std::string& otherwise) {
  constexpr std::array<std::string_view, 7> kWays{"measured", "estimated", "counted", "simulated",
                                                  "derived",  "accuracy",  "proved"};
  std::array<std::pair<std::string_view, std::string_view>, kWays.size()> names;
  for (std::size_t i = 0; i < kWays.size(); ++i) names.at(i) = {kWays.at(i), kWays.at(i)};
  return map.has("obtained") ? std::string(map.get_enum("obtained", names)) : otherwise;
}

/// An entry of the list `rows` of a figure: one row, or those that it stands for.
std::vector<PaperRow> read_paper_rows(MapReader& map, const RowDefaults& defaults) {
  PaperRow row;
  row.says = map.get_string("says");
  row.obtained = read_obtained(map, defaults.obtained);
  row.tolerance = map.get_double_or("tolerance", defaults.tolerance, kTolerance);
  row.setting = map.get_string_or("setting", "");
  row.note = map.get_string_or("note", "");
  row.why = map.get_string_or("why", "");
  row.fitted = map.get_string_or("fitted", defaults.fitted);
  row.not_obtained = map.get_string_or("not_obtained", "");
  row.not_compared = map.get_string_or("not_compared", "");
  const bool is_measured = map.has("published") && map.get_node("published").is_map();
  if (map.has("published") && !is_measured) row.published = read_published(map);
  const std::vector<RowExperiment> experiments = read_experiments(map, row);
  if (is_measured) {
    MapReader from = map.get_map("published");
    const std::string source = from.get_string("source");
    from.finish();
    row.experiment = experiments.front();
    take_measured(map, source, row);
  }
  map.finish();
  std::vector<PaperRow> rows(experiments.size(), row);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].experiment = experiments[i];
    if (rows.size() > 1) name_after_layer(rows[i]);
  }
  return rows;
}

PaperFigure load_figure(const fs::path& folder, const std::string& name, const Paper& paper,
                        const std::vector<PaperColumn>& columns) {
  const YamlDocument document = load_yaml(folder / (name + ".yaml"));
  MapReader map(document);
  PaperFigure figure;
  figure.name = name;
  figure.title = map.get_string("title");
  figure.shows = map.get_string("shows");
  figure.source = map.get_string_or("source", paper.source);
  figure.columns = map.has("columns") ? read_paper_columns(map) : columns;
  if (map.has("not_obtained")) figure.not_obtained = map.get_string_list("not_obtained");
  const RowDefaults defaults{read_obtained(map, ""),
                             map.get_double_or("tolerance", kUsualTolerance, kTolerance),
                             map.get_string_or("fitted", "")};
  if (figure.columns.empty()) {
    map.fail("columns", "neither this figure nor its paper has 'columns', where to simulate");
  }
  for (MapReader& entry : map.get_maps("rows")) {
    std::vector<PaperRow> rows = read_paper_rows(entry, defaults);
    std::move(rows.begin(), rows.end(), std::back_inserter(figure.rows));
  }
  map.finish();
  return figure;
}

fs::path papers_directory() {
  return config_directory() / "papers";
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The folder that a user means.
fs::path folder_of(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || is_file(fs::path(name) / kPaperFile);
  const fs::path folder = is_path ? fs::path(name) : papers_directory() / name;
  if (is_file(folder / kPaperFile)) return folder;
  if (is_path) throw ConfigError(fmt::format("{}: there is no {} in it", name, kPaperFile));
  const std::vector<std::string> known = list_papers();
  const std::string hint = did_you_mean(name, known);
  throw ConfigError(
      fmt::format("no paper '{}'{}", name,
                  hint.empty() ? fmt::format("; shipped are {}", fmt::join(known, ", ")) : hint));
}

}  // namespace

const QuantityInfo& quantity_of(const PaperRow& row) {
  return info_of(std::visit(QuantityOf{}, row.experiment));
}

std::string published_text(const PaperRow& row) {
  if (!row.published) return "";
  return format_range(quantity_of(row).unit, row.published->least, row.published->most);
}

std::vector<std::string> list_papers() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(papers_directory(), ignored)) {
    if (is_file(entry.path() / kPaperFile)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Paper load_paper(const std::string& name) {
  const fs::path folder = folder_of(name);
  const YamlDocument document = load_yaml(folder / kPaperFile);
  MapReader map(document);
  Paper paper;
  paper.name = fs::weakly_canonical(folder).filename().string();
  paper.title = map.get_string("title");
  paper.source = map.get_string("source");
  paper.about = map.get_string("about");
  paper.result = map.get_string_or("result", "");
  paper.result_at = map.location_of("result");
  const std::vector<PaperColumn> columns =
      map.has("columns") ? read_paper_columns(map) : std::vector<PaperColumn>{};
  const std::vector<std::string> figures = map.get_string_list("figures");
  map.finish();
  for (const std::string& figure : figures) {
    paper.figures.push_back(load_figure(folder, figure, paper, columns));
  }
  return paper;
}

}  // namespace stcsim
