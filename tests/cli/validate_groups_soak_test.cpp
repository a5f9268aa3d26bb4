#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "tests/cli/cell_errors.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/validate_check.hpp"

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

/// Groups of rows in which errors of opposite sign, which a mean over all rows hides, would show:
/// few tokens (columns of C), K, how long 50 launches take, and whole waves of the simulated
/// kernel.
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

/// Every group of at least ten scored rows of the cell is biased by no more than `most_bias` per
/// cent, in each quantity.
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

namespace {

const std::string kConfigs = STCSIM_SOURCE_DIR "/configs";
const std::string kDeviceRows = kConfigs + "/validation/gemm_device.csv";

/// What is promised of both cards, in the mean and of every group. docs/evidence.md says what
/// bounds int8, whose mean is less than a tenth above what is asked.
TEST(ValidateH100, NoGroupOfRowsIsBiased) {
  constexpr double kBias16 = 9;
  constexpr double kBias8 = 16;
  constexpr double kBiasTf32 = 16;
  constexpr CellBound kCells[]{{"h100_sxm", "bf16", true, 5, 0, 0},
                               {"h100_sxm", "tf32", true, 15, 0, 0},
                               {"h100_pcie", "bf16", true, 5, 8, 9},
                               {"h100_pcie", "fp8_e4m3", true, 6.2, 6.8, 8},
                               {"h100_pcie", "int8", true, 9.7, 6.3, 10}};
  const std::map<std::string, double> most_bias{
      {"bf16", kBias16}, {"tf32", kBiasTf32}, {"fp8_e4m3", kBias8}, {"int8", kBias8}};
  for (const char* const machine : {"h100_sxm", "h100_pcie"}) {
    const auto rows = validated({kDeviceRows, "--machine", machine})["results"];
    for (const CellBound& cell : kCells) {
      if (std::string(cell.machine) != machine) continue;
      expect_within(rows, {&cell, 1}, most_bias.at(cell.dtype));
      expect_unbiased_groups(rows, cell, most_bias.at(cell.dtype));
    }
  }
}

/// What a machine file says, and rows that it is about.
struct Mechanism {
  const char* name;
  /// What it reads in the file, and what stands there without it.
  const char* with;
  const char* without;
  CellBound cell;
  const char* quantity;
  /// Beginning of their lines.
  const char* rows;
};

constexpr Mechanism kMechanisms[]{{"tiles overlap",
                                   "persistent: true",
                                   "persistent: false",
                                   {"h100_sxm", "bf16", true, 0, 0, 0},
                                   "dense",
                                   ".*,H100 80GB HBM3,bf16,(2048|8192),[0-9]+,(256|512),"},
                                  {"two limiters",
                                   "excursion_share: [0-9.]+",
                                   "excursion_share: 1",
                                   {"h100_sxm", "bf16", true, 0, 0, 0},
                                   "dense",
                                   ".*,H100 80GB HBM3,bf16,(512|1024|4096),[0-9]+,16384,"},
                                  {"few stages",
                                   "128x128x64_s3",
                                   "128x128x64_s7",
                                   {"h100_pcie", "bf16", true, 0, 0, 0},
                                   "sparse",
                                   ".*,H100 PCIe,bf16,[0-9]+,(64|128|256),"},
                                  {"no 256 rows of few columns",
                                   ", min_n: [0-9]+",
                                   "",
                                   {"h100_pcie", "bf16", true, 0, 0, 0},
                                   "sparse",
                                   ".*,H100 PCIe,bf16,(13824|16384),(64|128|256),"},
                                  {"a long tile of turned tf32 for long K",
                                   "min_k: 513, ",
                                   "",
                                   {"h100_sxm", "tf32", true, 0, 0, 0},
                                   "dense",
                                   ".*,H100 SXM,tf32,(1024|2048|4096),(2048|4096),(256|512),"},
                                  {"tf32 is turned",
                                   "k_contiguous_types: .*",
                                   "k_contiguous_types: []",
                                   {"h100_sxm", "tf32", true, 0, 0, 0},
                                   "dense",
                                   ".*,H100 SXM,tf32,(1024|2048|4096),(512|4096),"}};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The header, and the lines that match.
std::string table_of(const std::string& lines) {
  const std::regex chosen(lines);
  std::ifstream all(kDeviceRows);
  std::string table;
  for (std::string line; std::getline(all, line);) {
    const bool is_chosen = line.starts_with("source,") || std::regex_search(line, chosen);
    if (is_chosen) table += line + "\n";
  }
  return table;
}

TEST(ValidateH100, WithoutAMechanismItsRowsAreWorse) {
  const TemporaryDirectory directory;
  const std::string configs = (directory.path() / "configs").string();
  std::filesystem::copy(kConfigs, configs, std::filesystem::copy_options::recursive);
  const std::string table = (directory.path() / "rows.csv").string();
  const std::string file = "/arch/h100_sxm.yaml";
  for (const Mechanism& one : kMechanisms) {
    std::ofstream(table) << table_of(one.rows);
    const std::string with = text_of(kConfigs + file);
    const std::string without = std::regex_replace(with, std::regex(one.with), one.without);
    ASSERT_NE(without, with) << one.name;
    std::ofstream(configs + file) << without;
    const CellErrors best = errors_of(validated({table})["results"], one.cell, one.quantity);
    const CellErrors worse =
        errors_of(validated({table}, configs)["results"], one.cell, one.quantity);
    EXPECT_GE(best.rows, 4) << one.name;
    EXPECT_LT(best.mean_absolute, worse.mean_absolute) << one.name;
  }
}

}  // namespace

}  // namespace stcsim
