#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/data_type.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/problems.hpp"
#include "common/io/text_file.hpp"
#include "common/pattern.hpp"
#include "common/suggestion.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

/// What a column may be called, small letters and digits only; the first is the documented name.
const std::map<std::string, std::vector<std::string>> kColumns{
    {"m", {"m"}},
    {"n", {"n"}},
    {"k", {"k"}},
    {"count", {"count", "repeat", "times", "calls"}},
    {"name", {"name", "op", "label"}},
    {"phase", {"phase", "pass"}},
    {"batch", {"batch", "batchcount", "b"}},
    {"pattern", {"pattern", "sparsity"}},
    {"sparse_operand", {"sparseoperand", "sparse", "operand"}},
    {"dtype", {"dtype", "type", "datatype"}}};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Reads the rows of one list.
class GemmList {
 public:
  GemmList(const std::filesystem::path& path, Problems& problems)
      : problems_(problems),
        scanner_text_(read(path)),
        scanner_(scanner_text_, path.string(), separator_of(first_record(scanner_text_))) {}

  void read(ImportedNetwork& result) {
    scanner_.skip_empty_lines();
    read_header();
    problems_.refuse();
    constexpr std::size_t kMostRows = 100'000;
    std::size_t rows = 0;
    for (scanner_.skip_empty_lines(); !scanner_.at_end(); scanner_.skip_empty_lines()) {
      if (rows++ == kMostRows) {
        throw ConfigError(scanner_.where(), "the list has more than 100,000 rows");
      }
      try {
        read_row(result.network);
      } catch (const ConfigError& error) {
        add_problem(error);
        scanner_.skip_rest_of_line();
      }
    }
    if (!dtype_.empty()) result.assumed.push_back("the experiment's data type is " + dtype_);
  }

 private:
  static std::string read(const std::filesystem::path& path) {
    std::string text = read_text_file(path, "a list of GEMMs");
    check_encoding(text, path.string());
    return text;
  }

  void add_problem(const ConfigError& error) {
    const std::string text = error.what();
    constexpr std::string_view kMark = ": error: ";
    const std::size_t mark = text.find(kMark);
    problems_.add(mark == std::string::npos ? text
                                            : fmt::format("line {}: {}", scanner_.where().line,
                                                          text.substr(mark + kMark.size())));
  }

  void read_header() {
    const CsvScanner::Record header = scanner_.record();
    if (is_number(header.front().text)) {
      problems_.add(
          fmt::format("line {} has numbers where the columns are named: put a line before it, as "
                      "m,n,k or m,n,k,count",
                      header.front().where.line));
      return;
    }
    for (std::size_t at = 0; at < header.size(); ++at) {
      const std::string name = letters_of(header[at].text);
      bool is_known = false;
      for (const auto& [column, spellings] : kColumns) {
        if (std::ranges::find(spellings, name) == spellings.end()) continue;
        is_known = true;
        if (!places_.emplace(column, at).second) {
          problems_.add(
              fmt::format("line {}: column '{}' is there twice", header[at].where.line, column));
        }
      }
      if (!is_known && !name.empty()) {
        problems_.add(
            fmt::format("line {}: column '{}' is unknown, must be one of m, n, k, count, name, "
                        "phase, batch, pattern, sparse_operand, dtype",
                        header[at].where.line, header[at].text));
      }
    }
    columns_ = header.size();
  }

  [[nodiscard]] std::string cell(const char* column) const {
    const auto place = places_.find(column);
    return place == places_.end() || place->second >= row_.size() ? "" : row_[place->second].text;
  }

  [[noreturn]] void fail(const char* column, const std::string& right) const {
    throw ConfigError(row_.front().where,
                      fmt::format("'{}' is '{}', must be {}", column, cell(column), right));
  }

  [[nodiscard]] std::int64_t size(const char* column, std::int64_t fallback) const {
    const CsvField field{cell(column), row_.front().where};
    return field.text.empty() && fallback > 0 ? fallback
                                              : size_in(field, fmt::format("'{}'", column));
  }

  [[nodiscard]] Phase phase() const {
    const std::string text = cell("phase");
    if (text.empty()) return Phase::forward;
    if (const auto phase = phase_from_string(text)) return *phase;
    fail("phase", "forward, dgrad or wgrad");
  }

  [[nodiscard]] bool is_sparse_right() const {
    const std::string text = letters_of(cell("sparse_operand"));
    if (text == "b" || text == "right") return true;
    if (!text.empty() && text != "a" && text != "left") fail("sparse_operand", "a or b");
    return false;
  }

  [[nodiscard]] std::optional<Pattern> pattern(Phase phase) const {
    const std::string text = cell("pattern");
    if (text.empty()) return std::nullopt;
    const auto pattern = pattern_from_string(text);
    if (!pattern) fail("pattern", "n:m with n of m kept, such as 2:4, or dense");
    if (pattern->is_dense()) return std::nullopt;
    if (phase != Phase::forward) {
      fail("pattern", "left out in dgrad and wgrad: there a scheme says what is sparse");
    }
    return pattern;
  }

  void take_dtype() {
    const std::string text = cell("dtype");
    if (text.empty()) return;
    const auto dtype = data_type_from_string(text);
    if (!dtype) fail("dtype", "a data type, such as fp16, bf16 or int8");
    if (!dtype_.empty() && dtype_ != to_string(*dtype)) {
      fail("dtype", fmt::format("{} as in the rows before: a step has one data type", dtype_));
    }
    dtype_ = to_string(*dtype);
  }

  void read_row(Network& network) {
    row_ = scanner_.record();
    while (row_.size() > columns_ && row_.back().text.empty()) row_.pop_back();
    if (row_.size() > columns_) {
      throw ConfigError(row_.front().where,
                        fmt::format("it has {} fields, the header {}", row_.size(), columns_));
    }
    const Phase when = phase();
    std::int64_t m = size("m", 0);
    std::int64_t n = size("n", 0);
    const std::int64_t k = size("k", 0);
    const std::int64_t batch = size("batch", 1);
    if (is_sparse_right()) std::swap(m, n);
    Layer layer = gemm_layer(when, m, n, k, batch);
    layer.repeat = size("count", 1);
    layer.weight_pattern = pattern(when);
    if (layer.weight_pattern && batch > 1) fail("pattern", "left out where there is a batch");
    take_dtype();
    layer.name = cell("name");
    if (layer.name.empty()) {
      layer.name = fmt::format("{}x{}x{}{}", m, n, k, batch > 1 ? fmt::format("x{}", batch) : "");
    }
    layer.name = printable(layer.name);
    network.layers.push_back(std::move(layer));
  }

  Problems& problems_;
  std::string scanner_text_;
  CsvScanner scanner_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::size_t columns_ = 0;
  CsvScanner::Record row_;
  std::string dtype_;
};

}  // namespace

ImportedNetwork read_gemm_list(const std::filesystem::path& path, const std::string& name) {
  ImportedNetwork read;
  Problems problems(path.string(), "a list of GEMMs");
  read.network.name = name;
  read.network.description = "List of GEMMs";
  read.network.products_only = true;
  GemmList(path, problems).read(read);
  problems.refuse();
  number_equal_names(read.network.layers);
  check_layers(read.network, problems);
  std::int64_t products = 0;
  for (const Layer& layer : read.network.layers) products += layer.repeat;
  read.recognised =
      fmt::format("list of {} GEMM{}, {} with their counts", read.network.layers.size(),
                  read.network.layers.size() == 1 ? "" : "s", products);
  return read;
}

}  // namespace stcsim
