#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/sweep/sweep_table.hpp"

namespace stcsim {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

/// Endings of keys.
constexpr std::array<Words, 9> kUnits{{{"bytes_per_clk", "B/clk"},
                                       {"elements_per_clk", "elements/clk"},
                                       {"fma_per_clk", "FMA/clk"},
                                       {"gb_per_s", "GB/s"},
                                       {"cycles", "cycles"},
                                       {"bytes", "B"},
                                       {"watts", "W"},
                                       {"mhz", "MHz"},
                                       {"us", "us"}}};
/// Parts of names that are called otherwise, or go without saying.
constexpr std::array<Words, 9> kParts{{{"l2_cache", "L2"},
                                       {"dram", "DRAM"},
                                       {"operand_selector", "selector"},
                                       {"memory_bus", "bus"},
                                       {"num_sms", "SMs"},
                                       {"accelerator", ""},
                                       {"machine", ""},
                                       {"gemm", ""},
                                       {"sm", ""}}};

std::string words_of_part(std::string part) {
  for (const auto& [known, words] : kParts) {
    if (part == known) return std::string(words);
  }
  std::ranges::replace(part, '_', ' ');
  return part;
}

AxisWords plain_words(const std::string& axis) {
  const std::size_t dot = axis.rfind('.');
  if (dot == std::string::npos) return {axis, ""};
  std::string key = axis.substr(dot + 1);
  AxisWords words;
  for (const auto& [ending, unit] : kUnits) {
    const bool is_all = key == ending;
    if (!is_all && !key.ends_with(fmt::format("_{}", ending))) continue;
    key.erase(is_all ? 0 : key.size() - ending.size() - 1);
    words.unit = unit;
    break;
  }
  const std::size_t before = axis.rfind('.', dot - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  words.name = words_of_part(axis.substr(begin, dot - begin));
  const std::string rest = words_of_part(key);
  if (!words.name.empty() && !rest.empty()) words.name += ' ';
  words.name += rest;
  return words;
}

}  // namespace

AxisWords axis_words(const std::string& axis, const std::vector<std::string>& names) {
  AxisWords words = plain_words(axis);
  const bool is_like_another = std::ranges::any_of(names, [&](const std::string& other) {
    return other != axis && plain_words(other).name == words.name;
  });
  return is_like_another || words.name.empty() ? AxisWords{short_name(axis, names), ""} : words;
}

bool is_axis_of_work(const std::string& axis) {
  const std::string_view root = std::string_view(axis).substr(0, axis.find('.'));
  return axis != "gemm.pattern" && (root == "gemm" || root == "network");
}

std::string pattern_of(const nlohmann::ordered_json& row, const Space& space) {
  for (const Axis& axis : space.axes) {
    const bool is_pattern = axis.name == "gemm.pattern" || axis.name == "scheme.pattern";
    if (is_pattern && axis.values.size() > 1) return cell_of(row, axis.name);
  }
  return "";
}

std::string cell_of(const nlohmann::ordered_json& row, const std::string& column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return "";
  if (value->is_string()) return value->get<std::string>();
  return value->is_number_float() ? fmt::format("{:.5g}", value->get<double>()) : value->dump();
}

std::string work_of(const nlohmann::ordered_json& row, const Space& space) {
  std::string work;
  for (const Axis& axis : space.axes) {
    if (axis.values.size() == 1 || !is_axis_of_work(axis.name)) continue;
    const std::string cell = cell_of(row, axis.name);
    if (!cell.empty()) work += (work.empty() ? "" : " ") + cell;
  }
  return work;
}

}  // namespace stcsim
