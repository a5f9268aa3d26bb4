#include "workloads/scale_sim.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMaxSize = 2'147'483'647;

struct Field {
  std::string text;
  SourceLocation where;
};
using Row = std::vector<Field>;

/// One form of topology: the names of its required columns after the layer's name.
using Columns = std::vector<std::string_view>;
const Columns kConvColumns{"IFMAP height", "IFMAP width", "filter height", "filter width",
                           "channels",     "num filter",  "strides"};
const Columns kGemmColumns{"M", "N", "K"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The fields of a line without its comment; empty fields at the end are dropped.
Row split(std::string_view line, const std::string& file, int line_number) {
  line = line.substr(0, line.find('#'));
  Row row;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string_view text = trimmed(line.substr(begin, end - begin));
    const std::size_t at =
        text.empty() ? begin : static_cast<std::size_t>(text.data() - line.data());
    row.push_back({std::string(text), {file, line_number, static_cast<int>(at) + 1}});
    begin = end + 1;
  }
  while (!row.empty() && row.back().text.empty()) row.pop_back();
  return row;
}

/// The rows of a file that hold anything, the header first.
std::vector<Row> read_rows(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw ConfigError("cannot read the topology '" + path.string() + "'");
  }
  std::vector<Row> rows;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    Row row = split(line, path.string(), number);
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

bool is_gemm_header(const Row& header) {
  const auto has = [&](std::string_view name) {
    return std::any_of(header.begin(), header.end(),
                       [&](const Field& field) { return field.text == name; });
  };
  return has("M") && has("N") && has("K");
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char character) {
    return std::isdigit(character) != 0;
  });
}

/// SCALE-Sim takes the first line for the header whatever it says; a line of numbers there is a
/// forgotten header and a lost layer.
void check_header(const Row& header) {
  if (header.size() > 1 && is_digits(header[1].text)) {
    throw ConfigError(header.front().where,
                      "the first line must be the header (\"Layer name, IFMAP Height, ...\" or "
                      "\"Layer, M, N, K\"), not a layer");
  }
}

std::int64_t to_size(const Field& field, std::string_view column) {
  std::int64_t value = 0;
  const char* end = field.text.data() + field.text.size();
  const bool whole =
      is_digits(field.text) && std::from_chars(field.text.data(), end, value).ec == std::errc{};
  if (!whole || value < 1 || value > kMaxSize) {
    throw ConfigError(field.where, "'" + std::string(column) + "' is '" + field.text +
                                       "', must be a whole number from 1 to " +
                                       std::to_string(kMaxSize));
  }
  return value;
}

/// The values of the required columns; the row may have `optional` more fields.
std::vector<std::int64_t> sizes_of(const Row& row, const Columns& columns, std::size_t optional) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i + 1 >= row.size()) {
      throw ConfigError(row.back().where, "the row ends before '" + std::string(columns[i]) +
                                              "'; a layer needs " +
                                              std::to_string(columns.size() + 1) + " fields");
    }
    sizes.push_back(to_size(row[i + 1], columns[i]));
  }
  const std::size_t most = columns.size() + 1 + optional;
  if (row.size() > most) {
    throw ConfigError(row[most].where, "unexpected field '" + row[most].text + "'; a layer has " +
                                           std::to_string(most) + " fields at most");
  }
  return sizes;
}

std::optional<Pattern> sparsity_of(const Field& field) {
  const auto pattern = pattern_from_string(field.text);
  if (!pattern) {
    throw ConfigError(field.where, "'sparsity' is '" + field.text +
                                       "', must be N:M with N of M weights kept, such as 2:4");
  }
  return pattern->is_dense() ? std::nullopt : pattern;
}

/// Smallest input that holds every window SCALE-Sim counts.
std::int64_t grown_input(std::int64_t input, std::int64_t filter, std::int64_t stride) {
  if (filter >= input) return input;
  return filter + (input - filter + stride - 1) / stride * stride;
}

Layer conv_layer(const Row& row) {
  const std::vector<std::int64_t> sizes = sizes_of(row, kConvColumns, 2);
  Layer layer;
  layer.kernel_height = sizes[2];
  layer.kernel_width = sizes[3];
  layer.stride = sizes[6];
  layer.height = grown_input(sizes[0], layer.kernel_height, layer.stride);
  layer.width = grown_input(sizes[1], layer.kernel_width, layer.stride);
  layer.in_channels = sizes[4];
  const bool depthwise = row[0].text.find("DP") != std::string::npos;
  layer.groups = depthwise ? layer.in_channels : 1;
  layer.out_channels = depthwise ? layer.in_channels * sizes[5] : sizes[5];
  std::size_t next = kConvColumns.size() + 1;
  if (next < row.size() && is_digits(row[next].text)) {
    if (to_size(row[next], "second stride") != layer.stride) {
      throw ConfigError(row[next].where, "the strides differ; only equal strides are supported");
    }
    ++next;
  }
  if (next < row.size()) layer.weight_pattern = sparsity_of(row[next++]);
  if (next < row.size()) throw ConfigError(row[next].where, "nothing may follow the sparsity");
  return layer;
}

Layer gemm_layer(const Row& row) {
  const std::vector<std::int64_t> sizes = sizes_of(row, kGemmColumns, 1);
  Layer layer;
  layer.kind = LayerKind::linear;
  layer.height = sizes[0];
  layer.out_channels = sizes[1];
  layer.in_channels = sizes[2];
  if (row.size() > kGemmColumns.size() + 1) layer.weight_pattern = sparsity_of(row.back());
  return layer;
}

}  // namespace

Network load_scale_sim(const std::filesystem::path& path) {
  const std::vector<Row> rows = read_rows(path);
  if (rows.empty()) throw ConfigError({path.string()}, "the topology is empty");
  check_header(rows.front());
  const bool gemms = is_gemm_header(rows.front());

  Network network;
  network.name = path.stem().string();
  network.description = "SCALE-Sim topology";
  std::set<std::string> names;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Field& name = rows[i].front();
    if (name.text.empty()) throw ConfigError(name.where, "the layer has no name");
    if (!names.insert(name.text).second) {
      throw ConfigError(name.where, "layer '" + name.text + "' is there twice");
    }
    Layer layer = gemms ? gemm_layer(rows[i]) : conv_layer(rows[i]);
    layer.name = name.text;
    const std::string fault = find_fault(layer, network.batch);
    if (!fault.empty()) throw ConfigError(name.where, "layer '" + name.text + "': " + fault);
    network.layers.push_back(std::move(layer));
  }
  if (network.layers.empty()) throw ConfigError({path.string()}, "the topology has no layers");
  return network;
}

}  // namespace stcsim
