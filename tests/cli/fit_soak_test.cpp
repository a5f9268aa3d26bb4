// A machine whose values are drawn is found by its times. A real one, fitted to half of its times,
// predicts the others.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/csv_table.hpp"
#include "common/io/yaml_json.hpp"
#include "sim/config/experiment_entry.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string pattern;
  double time_us = 0;
};

/// The times that `eval` has for them, on a machine with these values.
std::vector<double> times_of(const std::vector<Gemm>& gemms, const std::string& machine,
                             const ordered_json& set, const ordered_json& more = {}) {
  const TemporaryDirectory folder;
  std::string lines;
  for (const Gemm& gemm : gemms) {
    ordered_json line{{"arch", machine},         {"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k},
                      {"pattern", gemm.pattern}, {"set", set}};
    if (!more.is_null()) line.update(more);
    lines += line.dump() + "\n";
  }
  write_text(folder.path() / "lines", lines);
  const ProgramResult result =
      run_stcsim({"eval", (folder.path() / "lines").string(), "--figures", "time_us"});
  std::vector<double> times;
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) {
    times.push_back(ordered_json::parse(line).at("time_us").get<double>());
  }
  return times;
}

double mean_error(const std::vector<double>& times, const std::vector<Gemm>& gemms) {
  EXPECT_EQ(times.size(), gemms.size());
  double sum = 0;
  for (std::size_t at = 0; at < times.size(); ++at) {
    sum += std::abs(times[at] / gemms[at].time_us - 1);
  }
  return sum / static_cast<double>(times.size());
}

std::string table_of(const std::vector<Gemm>& gemms, const std::string& more_names = "",
                     const std::string& more = "") {
  std::string table = "m,n,k,pattern,time_us" + more_names + "\n";
  for (const Gemm& gemm : gemms) {
    table +=
        fmt::format("{},{},{},{},{}{}\n", gemm.m, gemm.n, gemm.k, gemm.pattern, gemm.time_us, more);
  }
  return table;
}

ProgramResult fit(const std::string& table, const std::string& from,
                  const std::filesystem::path& machine) {
  write_text(machine.parent_path() / "times.csv", table);
  ProgramOptions options;
  options.time_limit = std::chrono::minutes(10);
  return run_stcsim({"fit", (machine.parent_path() / "times.csv").string(), "--from", from,
                     "--output", machine.string(), "--jobs", "2"},
                    options);
}

/// All that `fit` fits, with what the A100 has.
constexpr std::array<std::pair<const char*, int>, 10> kKeys{
    {{"accelerator.cta_scheduler.launch_cycles", 2820},
     {"accelerator.cta_scheduler.cta_setup_cycles", 200},
     {"accelerator.sm.epilogue.setup_cycles", 500},
     {"accelerator.sm.epilogue.elements_per_clk", 26},
     {"accelerator.sm.shared_memory.fill_bytes_per_clk", 64},
     {"accelerator.sm.shared_memory.barrier_cycles", 32},
     {"accelerator.memory_bus.sm_read_bytes_per_clk", 64},
     {"accelerator.l2_cache.read_bytes_per_clk", 3840},
     {"accelerator.l2_cache.near_hit_cycles", 208},
     {"accelerator.dram.bytes_per_clk", 1000}}};

std::vector<Gemm> random_gemms(test::Dice& dice, int count) {
  std::vector<Gemm> gemms;
  const auto extent = [&dice] {
    return 64 * (std::int64_t{1} << dice.between(0, 5)) + 64 * dice.between(0, 7);
  };
  for (int at = 0; at < count; ++at) {
    gemms.push_back({extent(), extent(), extent(), at % 2 == 0 ? "2:4" : "dense"});
  }
  return gemms;
}

TEST(Fit, FindsASecretMachineFromSixtyTimes) {
  const std::uint64_t seed = test::seed_or(7);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  ordered_json secret;
  for (const auto& [key, value] : kKeys) {
    secret[key] = std::lround(value * (0.7 + 0.001 * static_cast<double>(dice.between(0, 600))));
  }
  std::vector<Gemm> gemms = random_gemms(dice, 120);
  const std::vector<double> times = times_of(gemms, "a100", secret);
  ASSERT_EQ(times.size(), gemms.size());
  for (std::size_t at = 0; at < times.size(); ++at) gemms[at].time_us = times[at];
  const std::vector<Gemm> known(gemms.begin(), gemms.begin() + 60);
  const std::vector<Gemm> others(gemms.begin() + 60, gemms.end());
  EXPECT_GT(mean_error(times_of(others, "a100", ordered_json::object()), others), 0.02);
  const TemporaryDirectory folder;
  const std::string machine = (folder.path() / "mine.yaml").string();
  const ProgramResult result = fit(table_of(known), "a100", machine);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LE(mean_error(times_of(others, machine, ordered_json::object()), others), 0.02)
      << result.out;
  for (const auto& [key, value] : kKeys) {
    EXPECT_THAT(result.out, HasSubstr(fmt::format("{} ", key)));
  }
  std::size_t listed = 0;
  for (std::size_t at = 0; (at = result.out.find("\naccelerator.", at)) != std::string::npos;
       ++at) {
    ++listed;
  }
  EXPECT_EQ(listed, kKeys.size());
}

/// An A100 with what the RTX 3090's data sheet and guides say, and its libraries; the rest is the
/// A100's.
std::string card_of_a_data_sheet() {
  const ordered_json card = to_json(load_by_name(ConfigKind::machine, "rtx3090"));
  ordered_json like{{"extends", "a100"}, {"name", "like_3090"}};
  for (const char* const key :
       {"/clock_mhz", "/power", "/kernels", "/libraries", "/stacks", "/accelerator/num_sms",
        "/accelerator/sm/max_ctas", "/accelerator/sm/max_warps", "/accelerator/sm/registers",
        "/accelerator/sm/vector_lanes_per_sub_core", "/accelerator/sm/tensor_core",
        "/accelerator/sm/shared_memory/capacity_bytes",
        "/accelerator/sm/shared_memory/max_bytes_per_cta", "/accelerator/l2_cache/capacity_bytes",
        "/accelerator/dram/capacity_bytes", "/accelerator/dram/channels",
        "/accelerator/dram/bytes_per_clk"}) {
    like[ordered_json::json_pointer(key)] = card.at(ordered_json::json_pointer(key));
  }
  return like.dump();
}

TEST(Fit, PredictsHalfOfTheRtx3090sSparseTimesFromTheOther) {
  const CsvTable table = CsvTable::read(STCSIM_SOURCE_DIR "/configs/validation/gemm.csv");
  const auto of = [&](const CsvTable::Row& row, const char* name) {
    return row[table.column(name)].text;
  };
  std::vector<Gemm> known;
  std::vector<Gemm> others;
  for (const CsvTable::Row& row : table.rows()) {
    if (of(row, "gpu") != "RTX3090" || of(row, "stack") != "cuda11_rule") continue;
    std::vector<Gemm>& half = known.size() > others.size() ? others : known;
    half.push_back({std::stoll(of(row, "M")), std::stoll(of(row, "N")), std::stoll(of(row, "K")),
                    of(row, "pattern"), 1000 * std::stod(of(row, "sparse_value"))});
  }
  ASSERT_EQ(known.size() + others.size(), 46U);
  const TemporaryDirectory folder;
  write_text(folder.path() / "card.yaml", card_of_a_data_sheet());
  const std::string machine = (folder.path() / "mine.yaml").string();
  const ProgramResult result = fit(table_of(known, ",stack,clock", ",cuda11_rule,1395"),
                                   (folder.path() / "card.yaml").string(), machine);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ordered_json how{{"stack", "cuda11_rule"}, {"clock", 1395}};
  EXPECT_LE(mean_error(times_of(others, machine, ordered_json::object(), how), others), 0.05)
      << result.out;
}

}  // namespace
}  // namespace stcsim
