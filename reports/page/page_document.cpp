#include "reports/page/page_document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using JsonColumn = std::vector<ordered_json>;

/// Columns in the order in which their keys first appear.
struct Columns {
  std::vector<std::string> keys;
  std::vector<JsonColumn> values;
  std::unordered_map<std::string, std::size_t> places;

  void set(const std::string& key, std::size_t row, const ordered_json& value) {
    const auto [found, is_new] = places.try_emplace(key, keys.size());
    if (is_new) {
      keys.push_back(key);
      values.emplace_back();
    }
    JsonColumn& column = values[found->second];
    column.resize(row);  // null for rows before that lack the key
    column.push_back(value);
  }
};

void add_row(Columns& columns, std::size_t row, const std::string& prefix,
             const ordered_json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      add_row(columns, row, prefix + key + ".", value);
    } else {
      columns.set(prefix + key, row, value);
    }
  }
}

/// Values that differ, and which of them each row has; null if more than a quarter differ.
ordered_json as_dictionary(const JsonColumn& column) {
  std::unordered_map<ordered_json, std::size_t> places;
  JsonColumn values;
  ordered_json index = ordered_json::array();
  const std::size_t most = std::max<std::size_t>(2, column.size() / 4);
  for (const ordered_json& value : column) {
    const auto [found, is_new] = places.try_emplace(value, values.size());
    if (is_new) values.push_back(value);
    if (values.size() > most) return nullptr;
    index.push_back(found->second);
  }
  return {{"values", values}, {"index", index}};
}

ordered_json encoded(const JsonColumn& column) {
  const bool are_alike = std::all_of(column.begin(), column.end(), [&](const ordered_json& value) {
    return value == column.front() && value.type() == column.front().type();
  });
  if (are_alike) return {{"all", column.front()}};
  ordered_json dictionary = as_dictionary(column);
  return dictionary.is_null() ? ordered_json(column) : dictionary;
}

ordered_json with_six_digits(const ordered_json& value) {
  if (!value.is_number_float()) return value;
  const auto number = value.get<double>();
  return to_number(fmt::format("{:.6g}", number)).value_or(number);
}

double sum_of_buckets(const ordered_json& unit) {
  double sum = 0;
  for (const auto& [name, cycles] : unit.items()) {
    if (name != "instances" && cycles.is_number()) sum += cycles.get<double>();
  }
  return sum;
}

ordered_json waits_of(const ordered_json& buckets) {
  ordered_json waits = ordered_json::object();
  for (const auto& [unit, values] : buckets.items()) {
    const double sum = sum_of_buckets(values);
    ordered_json shares = ordered_json::object();
    for (const auto& [name, cycles] : values.items()) {
      if (name == "instances" || !cycles.is_number()) continue;
      shares[name] = sum > 0 ? std::llround(1000.0 * cycles.get<double>() / sum) : 0;
    }
    waits[unit] = shares;
  }
  return waits;
}

struct Schema {
  std::string_view name;
  std::string_view writer;
};

constexpr std::string_view kStudy = "stcsim.study/2";
constexpr std::array<Schema, 22> kSchemas{{
    {kStudy, "run"},
    {"stcsim.tta/1", "tta"},
    {"stcsim.sweep/1", "sweep export"},
    {"stcsim.gemm/1", "gemm"},
    {"stcsim.explain/2", "explain"},
    {"stcsim.curves/1", "curves"},
    {"stcsim.validation/1", "validate"},
    {"stcsim.trace/1", "evidence trace"},
    {"stcsim.paper/2", "reproduce"},
    {"stcsim.cost/1", "cost"},
    {"stcsim.design/1", "design"},
    {"stcsim.patterns/1", "patterns"},
    {"stcsim.sweep_plan/1", "sweep plan"},
    {"stcsim.sweep_status/1", "sweep status"},
    {"stcsim.list/1", "list"},
    {"stcsim.layers/1", "list layers"},
    {"stcsim.prune/1", "prune"},
    {"stcsim.compare/1", "compare"},
    {"stcsim.golden/2", "record"},
    {"stcsim.atlas/1", "make atlas"},
    {"stcsim.points/1", "sweep"},
    {"stcsim.csv/1", "run --out"},
}};

enum class Need { text, texts, number, count, object, array };

/// Keys that the page cannot do without, at a place of a document, "" the document itself. "[]"
/// stands behind an array of objects, "?" behind what may be missing.
struct NeededKeys {
  std::string_view schema;
  std::string_view place;
  Need need;
  std::string_view keys;
};

constexpr std::array<NeededKeys, 36> kNeeded{{
    {kStudy, "", Need::object, "config"},
    {kStudy, "results[]", Need::number, "cycles utilization"},
    {kStudy, "results[]", Need::object, "kernel traffic buckets"},
    {"stcsim.gemm/1", "", Need::text, "machine dtype pattern hardware_pattern bound_by"},
    {"stcsim.gemm/1", "", Need::number, "m n k sustained_clock_mhz time_us achieved_tflops"},
    {"stcsim.gemm/1", "", Need::number, "peak_tflops cycles utilization"},
    {"stcsim.gemm/1", "", Need::object, "kernel traffic buckets"},
    {"stcsim.explain/2", "", Need::text, "machine dtype pattern answer"},
    {"stcsim.explain/2", "", Need::number, "m n k batch_count"},
    {"stcsim.explain/2", "all", Need::number, "cycles clock_mhz time_us"},
    {"stcsim.explain/2", "", Need::object, "at_peak"},
    {"stcsim.explain/2", "", Need::array, "chain counterfactuals"},
    {"stcsim.curves/1", "", Need::array, "files notes"},
    {"stcsim.validation/1", "", Need::array, "results summary instructions networks streams"},
    {"stcsim.tta/1", "", Need::object, "config question"},
    {"stcsim.tta/1", "results[]", Need::text, "machine scheme verdict"},
    {"stcsim.tta/1", "", Need::array, "curves comparisons measured"},
    {"stcsim.sweep/1", "", Need::text, "space"},
    {"stcsim.sweep/1", "", Need::number, "points missing"},
    {"stcsim.sweep/1", "", Need::array, "failures"},
    {"stcsim.sweep/1", "axes[]", Need::text, "name"},
    {"stcsim.sweep/1", "axes[]", Need::number, "dimension"},
    {"stcsim.sweep/1", "rows[]", Need::text, "kind"},
    {"stcsim.sweep/1", "rows[]", Need::number, "point time_us"},
    {"stcsim.patterns/1", "", Need::text, "network machine scheme headline"},
    {"stcsim.patterns/1", "patterns[]", Need::text, "pattern"},
    {"stcsim.patterns/1", "patterns[]", Need::number, "at_most gain_today gain_then area_ratio"},
    {"stcsim.paper/2", "", Need::text, "paper title source about sentence spread"},
    {"stcsim.paper/2", "tally[]", Need::text, "kind column verdict"},
    {"stcsim.paper/2", "tally[]", Need::count, "count"},
    {"stcsim.paper/2", "figures[]", Need::text, "name title shows source"},
    {"stcsim.paper/2", "figures[]", Need::texts, "columns not_obtained"},
    {"stcsim.paper/2", "figures[].rows[]", Need::text,
     "says quantity unit obtained setting note why fitted not_obtained not_compared"},
    {"stcsim.paper/2", "figures[].rows[].published?", Need::number, "least most"},
    {"stcsim.paper/2", "figures[].rows[].answers[]", Need::text,
     "column where kind verdict because"},
    {"stcsim.paper/2", "figures[].rows[].answers[]", Need::number,
     "value low high deviation? p_value?"},
}};

void check_key(const JsonReader& object, Need need, std::string_view key) {
  std::string text;
  double number = 0;
  if (need == Need::text) object.read(key, text);
  if (need == Need::number) object.read(key, number);
  if (need == Need::texts) static_cast<void>(object.texts(key));
  if (need == Need::count) static_cast<void>(object.count(key));
  if (need == Need::object) static_cast<void>(object.object(key));
  if (need == Need::array) static_cast<void>(object.array(key));
}

/// Up to the separator, which is taken away too.
std::string_view take_word(std::string_view& text, char separator) {
  const std::string_view word = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

/// @param place  seen from the object
void check_needed(const JsonReader& object, std::string_view place, Need need,
                  std::string_view keys) {
  const auto is_left_out = [&](std::string_view& key) {
    if (!key.ends_with('?')) return false;
    key.remove_suffix(1);
    return !object.has(key);
  };
  if (place.empty()) {
    while (!keys.empty()) {
      std::string_view key = take_word(keys, ' ');
      if (!is_left_out(key)) check_key(object, need, key);
    }
    return;
  }
  std::string_view key = take_word(place, '.');
  if (key.ends_with("[]")) {
    key.remove_suffix(2);
    for (const JsonReader& item : object.array(key)) check_needed(item, place, need, keys);
  } else if (!is_left_out(key)) {
    check_needed(object.object(key), place, need, keys);
  }
}

/// @throws ConfigError naming what is missing or of the wrong type
void check_document(const JsonReader& document, std::string_view schema) {
  if (schema == kStudy) {
    for (const JsonReader& row : document.array("results")) check_figures<ResultRow>(row);
    for (const JsonReader& total : document.array("totals")) check_figures<StudyTotal>(total);
  }
  for (const NeededKeys& one : kNeeded) {
    if (one.schema == schema) check_needed(document, one.place, one.need, one.keys);
  }
}

const Schema& schema_of(const JsonReader& reader, const std::string& file) {
  std::string name;
  reader.read("schema", name);
  std::string known;
  for (const Schema& schema : kSchemas) {
    if (schema.name == name) return schema;
    known += fmt::format("{}{} (stcsim {})", known.empty() ? "" : ", ", schema.name, schema.writer);
  }
  throw ConfigError(SourceLocation{file}, fmt::format("'schema' is \"{}\", must be one of {}",
                                                      name.size() <= 40 ? name : "…", known));
}

bool is_array_of_objects(const ordered_json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const ordered_json& one) { return one.is_object(); });
}

ordered_json shown_rows(const ordered_json& rows, bool are_results) {
  if (!are_results) return columns_of(rows);
  ordered_json kept = ordered_json::array();
  for (const ordered_json& row : rows) kept.push_back(page_result(row));
  return columns_of(kept);
}

namespace fs = std::filesystem;

constexpr std::string_view kTitleMark = "@TITLE@";
constexpr std::string_view kDataMark = "@DATA@";

}  // namespace

ordered_json columns_of(const ordered_json& rows) {
  Columns columns;
  for (std::size_t row = 0; row < rows.size(); ++row) add_row(columns, row, "", rows[row]);
  ordered_json table = ordered_json::object();
  for (std::size_t i = 0; i < columns.keys.size(); ++i) {
    columns.values[i].resize(rows.size());
    table[columns.keys[i]] = encoded(columns.values[i]);
  }
  return {{"rows", rows.size()}, {"columns", table}};
}

ordered_json page_result(const ordered_json& result) {
  ordered_json kept = ordered_json::object();
  for (const auto& [key, value] : result.items()) {
    if (key == "tile") continue;  // the kernel has it
    if (key == "buckets") {
      kept["waits"] = waits_of(value);
    } else {
      kept[key] = key == "utilization" ? with_six_digits(value) : value;
    }
  }
  if (!kept.contains("kernel")) return kept;
  for (const char* const side : {"tile_m", "tile_n", "tile_k"}) kept["kernel"].erase(side);
  if (kept["kernel"].contains("waves")) {
    kept["kernel"]["waves"] = with_six_digits(kept["kernel"]["waves"]);
  }
  return kept;
}

ordered_json page_document(const std::string& file, const ordered_json& document) {
  const JsonReader reader(document, file);
  const Schema& schema = schema_of(reader, file);
  std::string version;
  reader.read("version", version);
  check_document(reader, schema.name);
  ordered_json shown{{"file", file}};
  for (const auto& [key, value] : document.items()) {
    const bool are_results = key == "results" && schema.name == kStudy;
    shown[key] = is_array_of_objects(value) ? shown_rows(value, are_results) : value;
  }
  return shown;
}

fs::path page_shell_file() {
  const fs::path program_folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = program_folder.parent_path() / "share/stcsim/page/report.html";
  const fs::path built = program_folder / "page/report.html";
  std::error_code ignored;
  for (const fs::path& path : {installed, built}) {
    if (fs::is_regular_file(path, ignored)) return path;
  }
  throw ConfigError(fmt::format("the page's shell is missing: neither {} nor {} is a file",
                                installed.string(), built.string()));
}

std::string page_data(const ordered_json& documents) {
  const std::string json = ordered_json{{"documents", documents}}.dump(
      -1, ' ', false, ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (const char letter : json) {
    text += letter == '<' ? "\\u003c" : std::string(1, letter);
  }
  return text;
}

std::string page_html(std::string_view shell, const std::string& title,
                      const ordered_json& documents) {
  const std::size_t title_place = shell.find(kTitleMark);
  const std::size_t data_place = shell.find(kDataMark);
  if (title_place == std::string_view::npos || data_place == std::string_view::npos ||
      data_place < title_place) {
    throw ConfigError("the page's shell has no places for title and data");
  }
  const std::size_t behind_title = title_place + kTitleMark.size();
  std::string page(shell.substr(0, title_place));
  page += html_text(title);
  page += shell.substr(behind_title, data_place - behind_title);
  page += page_data(documents);
  page += shell.substr(data_place + kDataMark.size());
  return page;
}

}  // namespace stcsim
