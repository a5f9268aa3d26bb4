#include "reports/golden.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/sha256.hpp"
#include "common/io/table.hpp"
#include "common/version.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

std::vector<GoldenEntry> entries_of(const StudyResult& study) {
  std::vector<GoldenEntry> entries;
  for (const ResultRow& row : study.rows) {
    entries.push_back({{row.machine, row.network, row.layer, std::string(to_string(row.phase)),
                        row.scheme, row.op, "cycles"},
                       row.cycles});
  }
  std::ranges::stable_sort(entries, {}, &GoldenEntry::key);
  return entries;
}

double relative_change(std::int64_t golden, std::int64_t now) {
  if (golden == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(now - golden) / static_cast<double>(golden);
}

/// A difference if the two figures of a key are further apart than rtol allows.
std::optional<GoldenDifference> changed(const GoldenEntry& golden, std::int64_t now, double rtol) {
  if (now == golden.value) return std::nullopt;
  const double relative = relative_change(golden.value, now);
  if (std::abs(relative) <= rtol) return std::nullopt;
  return GoldenDifference{golden.key, golden.value, now, relative};
}

/// Walks both sorted lists; figures of equal keys pair up in order.
std::vector<GoldenDifference> merge(const std::vector<GoldenEntry>& golden,
                                    const std::vector<GoldenEntry>& now, double rtol) {
  constexpr double kOneSided = std::numeric_limits<double>::infinity();
  std::vector<GoldenDifference> differences;
  auto old_entry = golden.begin();
  auto new_entry = now.begin();
  while (old_entry != golden.end() || new_entry != now.end()) {
    if (new_entry == now.end() || (old_entry != golden.end() && old_entry->key < new_entry->key)) {
      differences.push_back({old_entry->key, old_entry->value, std::nullopt, kOneSided});
      ++old_entry;
    } else if (old_entry == golden.end() || new_entry->key < old_entry->key) {
      differences.push_back({new_entry->key, std::nullopt, new_entry->value, kOneSided});
      ++new_entry;
    } else {
      const auto difference = changed(*old_entry, new_entry->value, rtol);
      if (difference) differences.push_back(*difference);
      ++old_entry;
      ++new_entry;
    }
  }
  return differences;
}

/// A part of a key: of a file's entries, and a column of a table.
struct KeyColumn {
  const char* header;
  std::string GoldenKey::*member;
  bool only_if_varied;
  int dispensable;  // as of a Column
};

constexpr KeyColumn kKeyColumns[] = {
    {"machine", &GoldenKey::machine, true, 0}, {"network", &GoldenKey::network, true, 0},
    {"layer", &GoldenKey::layer, false, 0},    {"phase", &GoldenKey::phase, false, 0},
    {"scheme", &GoldenKey::scheme, false, 0},  {"op", &GoldenKey::op, true, 0},
    {"metric", &GoldenKey::metric, false, 1},
};

std::vector<KeyColumn> shown_columns(const std::vector<GoldenDifference>& differences) {
  std::vector<KeyColumn> columns;
  for (const KeyColumn& column : kKeyColumns) {
    const bool varied = std::any_of(
        differences.begin(), differences.end(), [&](const GoldenDifference& difference) {
          return difference.key.*column.member != differences.front().key.*column.member;
        });
    if (varied || !column.only_if_varied) columns.push_back(column);
  }
  return columns;
}

std::string change_text(const GoldenDifference& difference) {
  if (!difference.golden) return "new";
  if (!difference.now) return "missing";
  if (std::isinf(difference.relative)) return "was 0";
  return fmt::format("{:+.4g}", 100.0 * difference.relative);
}

std::string figure_text(const std::optional<std::int64_t>& figure) {
  return figure ? format_count(*figure) : "-";
}

}  // namespace

Golden make_golden(const StudyResult& study, std::string experiment, GoldenSource source) {
  if (!study.failures.empty()) {
    throw SimulationError(fmt::format(
        "an incomplete study cannot be recorded as golden: {} points failed, the first: {}",
        study.failures.size(), study.failures.front()));
  }
  if (study.rows.empty()) {
    throw SimulationError("a study without results cannot be recorded as golden");
  }
  return {std::string(program_version()), study.config_hash, std::move(experiment),
          entries_of(study), std::move(source)};
}

std::vector<GoldenDifference> compare(const Golden& golden, const StudyResult& now, double rtol) {
  if (!std::isfinite(rtol) || rtol < 0.0) {
    throw ConfigError(fmt::format("rtol is {}, must be a finite number from 0", rtol));
  }
  std::vector<GoldenDifference> differences = merge(golden.entries, entries_of(now), rtol);
  std::stable_sort(differences.begin(), differences.end(),
                   [](const GoldenDifference& a, const GoldenDifference& b) {
                     return std::abs(a.relative) > std::abs(b.relative);
                   });
  return differences;
}

std::string differences_table(const std::vector<GoldenDifference>& differences, std::size_t width) {
  if (differences.empty()) return "";
  const std::vector<KeyColumn> key_columns = shown_columns(differences);
  std::vector<Column> columns;
  for (const KeyColumn& column : key_columns) {
    columns.push_back({column.header, Align::left, column.dispensable});
  }
  for (const char* header : {"golden", "now", "Δ%"}) columns.push_back({header, Align::right});
  Table table(std::move(columns));
  for (const GoldenDifference& difference : differences) {
    std::vector<std::string> cells;
    for (const KeyColumn& column : key_columns) cells.push_back(difference.key.*column.member);
    cells.push_back(figure_text(difference.golden));
    cells.push_back(figure_text(difference.now));
    cells.push_back(change_text(difference));
    table.add_row(std::move(cells));
  }
  return table.to_string(width);
}

std::string golden_to_json(const Golden& golden) {
  ordered_json document = figures({{"schema", kGoldenSchema},
                                   {"version", golden.version},
                                   {"config_hash", golden.config_hash},
                                   {"experiment", golden.experiment}});
  if (!golden.source.question.empty()) {
    document["source"] = {{"question", golden.source.question}, {"set", golden.source.overrides}};
  } else if (!golden.source.experiment.empty()) {
    document["source"] = {{"experiment", golden.source.experiment},
                          {"set", golden.source.overrides}};
  }
  document["entries"] = figures_of_each(golden.entries, [](const GoldenEntry& entry) {
    ordered_json object;
    for (const KeyColumn& column : kKeyColumns) object[column.header] = entry.key.*column.member;
    object["value"] = entry.value;
    return object;
  });
  return document_text(document);
}

Golden golden_from_json(std::string_view text, const std::string& file) {
  const ordered_json parsed = parse_json(text, file);
  const JsonReader document(parsed, file);
  document.require_schema(kGoldenSchema);
  Golden golden;
  document.read("version", golden.version);
  document.read("config_hash", golden.config_hash);
  document.read("experiment", golden.experiment);
  if (const std::string hash = sha256_hex(golden.experiment); hash != golden.config_hash) {
    throw ConfigError(SourceLocation{file}, "'config_hash' is '" + golden.config_hash +
                                                "', must be the SHA-256 of 'experiment', " + hash);
  }
  if (document.has("source")) {
    const JsonReader source = document.object("source");
    const bool is_question = source.has("question");
    source.read(is_question ? "question" : "experiment",
                is_question ? golden.source.question : golden.source.experiment);
    golden.source.overrides = source.texts("set");
  }
  for (const JsonReader& object : document.array("entries")) {
    GoldenEntry entry;
    for (const KeyColumn& column : kKeyColumns)
      object.read(column.header, entry.key.*column.member);
    entry.value = object.count("value");
    golden.entries.push_back(std::move(entry));
  }
  if (golden.entries.empty()) {
    throw ConfigError(SourceLocation{file}, "'entries' is empty, must have at least one entry");
  }
  std::ranges::stable_sort(golden.entries, {}, &GoldenEntry::key);
  return golden;
}

}  // namespace stcsim
