#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {

using nlohmann::ordered_json;

struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string pattern;
  double time_us = 0;
};

/// The times that `eval` has for them, on a machine with these values.
inline std::vector<double> times_of(const std::vector<Gemm>& gemms, const std::string& machine,
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

inline double mean_error(const std::vector<double>& times, const std::vector<Gemm>& gemms) {
  EXPECT_EQ(times.size(), gemms.size());
  double sum = 0;
  for (std::size_t at = 0; at < times.size(); ++at) {
    sum += std::abs(times[at] / gemms[at].time_us - 1);
  }
  return sum / static_cast<double>(times.size());
}

inline std::string table_of(const std::vector<Gemm>& gemms, const std::string& more_names = "",
                            const std::string& more = "") {
  std::string table = "m,n,k,pattern,time_us" + more_names + "\n";
  for (const Gemm& gemm : gemms) {
    table +=
        fmt::format("{},{},{},{},{}{}\n", gemm.m, gemm.n, gemm.k, gemm.pattern, gemm.time_us, more);
  }
  return table;
}

inline ProgramResult fit(const std::string& table, const std::string& from,
                         const std::filesystem::path& machine) {
  write_text(machine.parent_path() / "times.csv", table);
  ProgramOptions options;
  options.time_limit = std::chrono::minutes(10);
  return run_stcsim({"fit", (machine.parent_path() / "times.csv").string(), "--from", from,
                     "--output", machine.string(), "--jobs", "2"},
                    options);
}

}  // namespace stcsim
