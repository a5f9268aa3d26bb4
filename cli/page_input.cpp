#include "cli/page_input.hpp"

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/io/csv_table.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/json_text.hpp"
#include "common/io/text_file.hpp"
#include "reports/study_folded.hpp"
#include "reports/sweep/sweep_table.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json value_of(const std::string& text) {
  if (text.empty()) return nullptr;
  if (const auto whole = to_whole_number(text)) return *whole;
  if (const auto number = to_number(text)) return *number;
  return text;
}

ordered_json table_document(const CsvTable& table) {
  ordered_json document = document_head("stcsim.list/1", "");
  ordered_json& rows = document["rows"] = ordered_json::array();
  for (const CsvTable::Row& row : table.rows()) {
    ordered_json one = ordered_json::object();
    for (std::size_t at = 0; at < row.size(); ++at) {
      one[table.header()[at].text] = value_of(row[at].text);
    }
    rows.push_back(std::move(one));
  }
  return document;
}

}  // namespace

ordered_json read_page_input(const std::string& path) {
  if (fs::is_directory(path)) return read_page_input((fs::path(path) / "results.json").string());
  if (path.ends_with(".sqlite")) {
    return ordered_json::parse(
        store_to_json(SweepStore(path, Database::Access::read), fs::path(path).stem().string()));
  }
  const std::string text = read_text_file(path, "a file of results");
  if (path.ends_with(".csv")) return table_document(CsvTable::parse(text, path));
  return unfolded_study(parse_json(text, path), path);
}

std::string page_name_of(const std::vector<std::string>& inputs) {
  const fs::path first(inputs.front());
  if (inputs.front() == kStandardStream) return "page.html";
  const fs::path name = first.has_filename() ? first.filename() : first.parent_path().filename();
  return (name.has_stem() ? name.stem().string() : "page") + ".html";
}

}  // namespace stcsim
