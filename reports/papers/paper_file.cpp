#include "reports/papers/paper_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/catalog.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/evidence/paper_verdict.hpp"
#include "reports/papers/row_file.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPaperFile = "paper.yaml";

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

void check_columns(MapReader& map, const PaperFigure& figure) {
  if (figure.columns.empty()) {
    map.fail("columns", "neither this figure nor its paper has 'columns', where to simulate");
  }
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
  const RowDefaults defaults{read_obtained(map, ""), read_tolerance(map, kUsualTolerance),
                             map.get_string_or("fitted", "")};
  check_columns(map, figure);
  for (MapReader& entry : map.get_maps("rows")) {
    std::vector<PaperRow> rows = read_paper_rows(entry, defaults);
    std::move(rows.begin(), rows.end(), std::back_inserter(figure.rows));
  }
  map.finish();
  return figure;
}

std::string folder_name(const fs::path& folder) {
  return fs::weakly_canonical(folder).filename().string();
}

}  // namespace

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
  paper.name = folder_name(folder);
  paper.title = map.get_string("title");
  paper.source = map.get_string("source");
  paper.about = map.get_string("about");
  paper.result = map.get_string("result");
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
