#include "tests/cli/row_groups.hpp"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

constexpr int kFewestOfGroup = 10;

std::int64_t whole_waves(const nlohmann::json& row, const std::string& kernel) {
  static const std::map<std::string, std::int64_t> kSms{{"h100_pcie", 114}, {"h100_sxm", 132}};
  static const std::regex kTile("_([0-9]+)x([0-9]+)x");
  std::smatch tile;
  if (!std::regex_search(kernel, tile, kTile)) return 0;
  const auto tiles = [&](const char* extent, int part) {
    const std::int64_t side = std::stoll(tile[static_cast<std::size_t>(part)]);
    return (row[extent].get<std::int64_t>() + side - 1) / side;
  };
  const std::int64_t sms = kSms.at(row["machine"]);
  return (tiles("m", 1) * tiles("n", 2) + sms - 1) / sms;
}

/// The last of `names` that begins at no more than `value`.
std::string range_of(double value, const std::map<double, std::string>& names) {
  return std::prev(names.upper_bound(value))->second;
}

}  // namespace

std::vector<std::string> groups_of(const nlohmann::json& row, const std::string& quantity) {
  const std::string side = quantity == "sparse" ? "sparse" : "dense";
  std::vector<std::string> groups{"all"};
  if (row["n"] <= 256) groups.emplace_back("tokens up to 256");
  groups.push_back(range_of(
      row["k"],
      {{0, "K up to 512"}, {513, "K from 513"}, {2561, "K from 2561"}, {8193, "K from 8193"}}));
  constexpr double kMsOfLoad = 50.0 / 1000.0;
  const double load_ms = row["measured_" + side + "_us"].get<double>() * kMsOfLoad;
  groups.push_back(range_of(
      load_ms, {{0, "load below 20 ms"}, {20, "load from 20 ms"}, {130, "load from 130 ms"}}));
  const std::int64_t waves = whole_waves(row, row[side + "_kernel"]);
  groups.push_back(range_of(static_cast<double>(waves),
                            {{0, "no tiles"}, {1, "1 wave"}, {2, "2 waves"}, {4, "4 waves"}}));
  return groups;
}

void expect_unbiased_groups(const nlohmann::json& rows, const CellBound& cell, double most_bias) {
  for (const char* const quantity : {"dense", "sparse", "speedup"}) {
    std::map<std::string, nlohmann::json> groups;
    for (const auto& row : rows) {
      const bool is_measured = !row[std::string(quantity) + "_error"].is_null();
      if (!is_measured || row["measured_dense_us"].is_null()) continue;
      for (const std::string& group : groups_of(row, quantity)) groups[group].push_back(row);
    }
    for (const auto& [group, of_group] : groups) {
      const CellErrors errors = errors_of(of_group, cell, quantity);
      if (errors.rows < kFewestOfGroup) continue;
      EXPECT_LE(std::abs(errors.bias), most_bias)
          << cell.machine << " " << cell.dtype << " " << quantity << ", " << group << ", "
          << errors.rows << " rows";
    }
  }
}

}  // namespace stcsim
