#include "workloads/scale_sim.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/io/text_file.hpp"
#include "workloads/scale_sim_header.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kMostLayers = 100'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The fields of a line without its comment; empty fields at the end are dropped.
TopologyRow split(std::string_view line, const std::string& file, int line_number) {
  line = line.substr(0, line.find('#'));
  TopologyRow row;
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

/// Hands on the rows of a file that hold anything, the header first.
template <class Take>
void read_rows(const std::filesystem::path& path, Take take) {
  const std::string text = read_text_file(path, "a topology");
  check_encoding(text, path.string());
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    TopologyRow row = split(line, path.string(), number);
    if (!row.empty()) take(std::move(row));
    begin = end + 1;
  }
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t to_size(const CsvField& field, TopologyColumn column) {
  return size_in(field, "'" + to_string(column) + "'");
}

[[noreturn]] void refuse_stride(const CsvField& second) {
  throw ConfigError(second.where, "the strides differ; only equal strides are supported");
}

/// A row's fields by the names of their columns.
class LayerFields {
 public:
  LayerFields(const TopologyHeader& header, TopologyRow row)
      : header_(header), row_(std::move(row)) {
    drop_unnamed_stride();
    if (row_.size() <= header.size()) return;
    const CsvField& extra = row_[header.size()];
    throw ConfigError(extra.where,
                      "unexpected field '" + extra.text + "', the header has no column for it");
  }

  [[nodiscard]] const CsvField& name() const {
    const CsvField* const name = find(TopologyColumn::name);
    if (name != nullptr && !name->text.empty()) return *name;
    throw ConfigError(name != nullptr ? name->where : row_.front().where, "the layer has no name");
  }
  [[nodiscard]] std::int64_t size(TopologyColumn column) const {
    if (const CsvField* const field = find(column)) return to_size(*field, column);
    throw ConfigError(row_.back().where, "the row ends before '" + to_string(column) + "'");
  }
  /// Nothing if the header has no such column, or the row nothing in it.
  [[nodiscard]] const CsvField* given(TopologyColumn column) const {
    const CsvField* const field = find(column);
    return field == nullptr || field->text.empty() ? nullptr : field;
  }

 private:
  [[nodiscard]] const CsvField* find(TopologyColumn column) const {
    const std::optional<std::size_t> at = header_.find(column);
    return at && *at < row_.size() ? &row_[*at] : nullptr;
  }

  /// Published topologies have rows with two strides under the one column "Strides".
  void drop_unnamed_stride() {
    const std::optional<std::size_t> stride = header_.find(TopologyColumn::stride);
    if (!stride || row_.size() <= *stride + 1) return;
    const bool more_than_header = row_.size() == header_.size() + 1;
    const bool in_sparsity = header_.find(TopologyColumn::sparsity) == *stride + 1;
    const CsvField& second = row_[*stride + 1];
    if (!is_digits(second.text) || (!more_than_header && !in_sparsity)) return;
    if (to_size(second, TopologyColumn::second_stride) !=
        to_size(row_[*stride], TopologyColumn::stride)) {
      refuse_stride(second);
    }
    row_.erase(row_.begin() + static_cast<std::ptrdiff_t>(*stride) + 1);
  }

  const TopologyHeader& header_;
  TopologyRow row_;
};

std::optional<Pattern> sparsity_of(const CsvField& field) {
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

Layer conv_layer(const LayerFields& fields) {
  Layer layer;
  const std::int64_t height = fields.size(TopologyColumn::ifmap_height);
  const std::int64_t width = fields.size(TopologyColumn::ifmap_width);
  layer.kernel_height = fields.size(TopologyColumn::filter_height);
  layer.kernel_width = fields.size(TopologyColumn::filter_width);
  layer.in_channels = fields.size(TopologyColumn::channels);
  const std::int64_t filters = fields.size(TopologyColumn::filters);
  layer.stride = fields.size(TopologyColumn::stride);
  layer.height = grown_input(height, layer.kernel_height, layer.stride);
  layer.width = grown_input(width, layer.kernel_width, layer.stride);
  const bool depthwise = fields.name().text.find("DP") != std::string::npos;
  layer.groups = depthwise ? layer.in_channels : 1;
  layer.out_channels = depthwise ? layer.in_channels * filters : filters;
  const CsvField* const second = fields.given(TopologyColumn::second_stride);
  if (second != nullptr && to_size(*second, TopologyColumn::second_stride) != layer.stride) {
    refuse_stride(*second);
  }
  return layer;
}

Layer gemm_layer(const LayerFields& fields) {
  Layer layer;
  layer.kind = LayerKind::linear;
  layer.height = fields.size(TopologyColumn::m);
  layer.out_channels = fields.size(TopologyColumn::n);
  layer.in_channels = fields.size(TopologyColumn::k);
  return layer;
}

Layer read_layer(const LayerFields& fields, bool gemm, std::int64_t batch) {
  const CsvField& name = fields.name();
  Layer layer = gemm ? gemm_layer(fields) : conv_layer(fields);
  layer.name = name.text;
  if (const CsvField* const sparsity = fields.given(TopologyColumn::sparsity)) {
    layer.weight_pattern = sparsity_of(*sparsity);
  }
  const std::string fault = find_fault(layer, batch);
  if (!fault.empty()) throw ConfigError(name.where, "layer '" + layer.name + "': " + fault);
  return layer;
}

/// Gives layers of the same name numbers from the second on: "conv", "conv#2", which no other has,
/// as '#' begins a remark. What it did, in words, or "".
std::string number_repeated(std::vector<Layer>& layers) {
  std::map<std::string, int> seen;
  std::int64_t renamed = 0;
  std::string example;
  for (Layer& layer : layers) {
    const int count = ++seen[layer.name];
    if (count == 1) continue;
    const std::string name = layer.name + "#" + std::to_string(count);
    if (++renamed == 1) example = "the second '" + layer.name + "' is '" + name + "'";
    layer.name = name;
  }
  if (renamed == 0) return "";
  return std::to_string(renamed) + (renamed == 1 ? " layer has" : " layers have") +
         " the name of an earlier one and a number behind it: " + example;
}

}  // namespace

Network load_scale_sim(const std::filesystem::path& path) {
  Network network;
  network.name = path.stem().string();
  if (!is_utf8(network.name)) {
    throw ConfigError({path.string()},
                      "the file's name is not UTF-8, must be: it names the network");
  }
  network.description = "SCALE-Sim topology";
  network.products_only = true;
  std::optional<TopologyHeader> header;
  read_rows(path, [&](TopologyRow row) {
    if (!header) {
      header.emplace(row);
      return;
    }
    if (network.layers.size() == kMostLayers) {
      throw ConfigError(row.front().where,
                        "the topology has more than " + std::to_string(kMostLayers) + " layers");
    }
    const LayerFields fields(*header, std::move(row));
    network.layers.push_back(read_layer(fields, header->is_gemms(), network.batch));
  });
  if (!header) throw ConfigError({path.string()}, "the topology is empty");
  if (network.layers.empty()) throw ConfigError({path.string()}, "the topology has no layers");
  network.note = number_repeated(network.layers);
  return network;
}

}  // namespace stcsim
