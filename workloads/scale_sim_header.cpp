#include "workloads/scale_sim_header.hpp"

#include <algorithm>
#include <string_view>

#include "common/io/suggestion.hpp"
#include "common/letter_case.hpp"

namespace stcsim {
namespace {

enum class Form : std::uint8_t { both, convolutions, gemms };

struct ColumnKind {
  std::string_view name;  // in messages
  Form form;
  bool required;
  std::array<std::string_view, 4> spellings;  // lower case, letters and digits only
};

/// In the order of TopologyColumn.
constexpr std::array<ColumnKind, kTopologyColumns> kColumnKinds{{
    {"Layer name", Form::both, true, {"layer", "layername", "name"}},
    {"IFMAP height", Form::convolutions, true, {"ifmapheight", "ifmaph", "inputheight"}},
    {"IFMAP width", Form::convolutions, true, {"ifmapwidth", "ifmapw", "inputwidth"}},
    {"filter height", Form::convolutions, true, {"filterheight", "filterh", "kernelheight"}},
    {"filter width", Form::convolutions, true, {"filterwidth", "filterw", "kernelwidth"}},
    {"channels", Form::convolutions, true, {"channels", "channel", "numchannels"}},
    {"num filter", Form::convolutions, true, {"numfilter", "numfilters", "filters"}},
    {"strides", Form::convolutions, true, {"strides", "stride", "strideheight", "strideh"}},
    {"second stride", Form::convolutions, false, {"secondstride", "stridewidth", "stridew"}},
    {"M", Form::gemms, true, {"m"}},
    {"N", Form::gemms, true, {"n"}},
    {"K", Form::gemms, true, {"k"}},
    {"sparsity", Form::both, false, {"sparsity"}},
}};

std::optional<std::size_t> kind_of(const CsvField& field) {
  const std::string name = letters_of(field.text);
  for (std::size_t index = 0; index < kColumnKinds.size(); ++index) {
    const auto& spellings = kColumnKinds.at(index).spellings;
    const bool known = std::find(spellings.begin(), spellings.end(), name) != spellings.end();
    if (known && !name.empty()) return index;
  }
  return std::nullopt;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool belongs(const ColumnKind& kind, bool gemms) {
  return kind.form == Form::both || (kind.form == Form::gemms) == gemms;
}

[[noreturn]] void refuse_column(const CsvField& field, bool gemms) {
  if (field.text.empty()) throw ConfigError(field.where, "a column of the header has no name");
  std::vector<std::string> names;
  std::string all;
  for (const ColumnKind& kind : kColumnKinds) {
    if (!belongs(kind, gemms)) continue;
    all += (names.empty() ? "" : ", ") + std::string(kind.name);
    names.emplace_back(kind.name);
  }
  const std::string hint = did_you_mean(field.text, names);
  throw ConfigError(field.where, "unknown column '" + field.text + "'" +
                                     (hint.empty() ? "; known columns: " + all : hint));
}

}  // namespace

TopologyHeader::TopologyHeader(const TopologyRow& header) : size_(header.size()) {
  // SCALE-Sim takes the first line for the header whatever it says; a line of numbers there is a
  // forgotten header and a lost layer.
  if (std::any_of(header.begin(), header.end(),
                  [](const CsvField& field) { return is_number(field.text); })) {
    throw ConfigError(header.front().where,
                      "the first line must be the header (\"Layer name, IFMAP Height, ...\" or "
                      "\"Layer, M, N, K\"), not a layer");
  }
  gemms_ = std::any_of(header.begin(), header.end(), [](const CsvField& field) {
    const auto kind = kind_of(field);
    return kind && kColumnKinds.at(*kind).form == Form::gemms;
  });
  for (std::size_t at = 0; at < header.size(); ++at) place(header[at], at);
  require_columns(header);
}

void TopologyHeader::place(const CsvField& field, std::size_t at) {
  const std::optional<std::size_t> kind = kind_of(field);
  if (!kind || !belongs(kColumnKinds.at(*kind), gemms_)) refuse_column(field, gemms_);
  if (places_.at(*kind)) {
    throw ConfigError(field.where, "column '" + field.text + "' is here a second time");
  }
  places_.at(*kind) = at;
}

void TopologyHeader::require_columns(const TopologyRow& header) const {
  for (std::size_t index = 0; index < kColumnKinds.size(); ++index) {
    const ColumnKind& kind = kColumnKinds.at(index);
    if (!kind.required || !belongs(kind, gemms_) || places_.at(index)) continue;
    throw ConfigError(header.front().where,
                      "the topology has no column '" + std::string(kind.name) + "'");
  }
}

std::string to_string(TopologyColumn column) {
  return std::string(kColumnKinds.at(static_cast<std::size_t>(column)).name);
}

}  // namespace stcsim
