#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kHeader =
    "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,note\n";

class Validate : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& rows, std::vector<std::string> options = {}) {
    const std::string path = (directory_.path() / "t.csv").string();
    std::ofstream(path) << kHeader << rows;
    options.insert(options.begin(), {"evidence", "rows", path});
    return run_stcsim(options);
  }
  static double time_us(const std::string& sparsity) {
    const ProgramResult result =
        run_stcsim({"gemm", "--arch", "a100", "--m", "256", "--n", "256", "--k", "256",
                    "--sparsity", sparsity, "--format", "json"});
    return json::parse(result.out)["time_us"];
  }

  TemporaryDirectory directory_;
};

/// The times are those of `stcsim gemm` and what a pair of events adds; the errors follow from
/// them.
TEST_F(Validate, ComparesEveryRowWithWhatGemmSays) {
  const ProgramResult result =
      run("s,A100,fp16,256,256,256,,10,5,us,2,2:4,\n", {"--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json row = json::parse(result.out)["results"][0];
  constexpr double kEventsUs = 2.5;
  const double dense = time_us("dense") + kEventsUs;
  const double sparse = time_us("2:4") + kEventsUs;
  EXPECT_DOUBLE_EQ(row["simulated_dense_us"], dense);
  EXPECT_DOUBLE_EQ(row["simulated_sparse_us"], sparse);
  EXPECT_DOUBLE_EQ(row["dense_error"], dense / 10.0 - 1.0);
  EXPECT_DOUBLE_EQ(row["sparse_error"], sparse / 5.0 - 1.0);
  EXPECT_DOUBLE_EQ(row["speedup_error"], dense / sparse / 2.0 - 1.0);
  EXPECT_EQ(row["skipped"], "");
}

/// Once, though two rows ran on it; not of a machine on which nothing ran.
TEST_F(Validate, NamesTheSoftwareOfTheMachines) {
  const std::string rows =
      "s,A100,fp16,64,64,64,,10,5,us,2,2:4,\ns,A100,fp16,64,64,128,,10,5,us,2,2:4,\n"
      "s,RTX 3090,fp16,64,64,64,,10,5,us,2,3:4,\n";
  const std::string line =
      "software of a100: cuda12_rule (dense cublas12 by whole_waves, sparse cusparselt08 by "
      "heuristic,\n  convolutions cudnn8 by heuristic)\n";
  const ProgramResult table = run(rows);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_TRUE(without_next(table.out).ends_with("\n\n" + line)) << table.out;
  const json software = json::parse(run(rows, {"--format", "json"}).out)["software"];
  ASSERT_EQ(software.size(), 1U);
  EXPECT_EQ(software[0]["machine"], "a100");
}

TEST_F(Validate, ErrorsOfWhatWasNotMeasuredAreNull) {
  const ProgramResult result =
      run("s,A100,fp16,64,64,64,,10,,us,,2:4,\ns,A100,fp16,64,64,64,,,,,1.5,2:4,\n",
          {"--format", "json"});
  const json rows = json::parse(result.out)["results"];
  EXPECT_FALSE(rows[0]["dense_error"].is_null());
  EXPECT_TRUE(rows[0]["sparse_error"].is_null());
  EXPECT_TRUE(rows[0]["speedup_error"].is_null());
  EXPECT_TRUE(rows[1]["dense_error"].is_null());
  EXPECT_FALSE(rows[1]["speedup_error"].is_null());
}

TEST_F(Validate, SkipsRowsWithAReason) {
  const ProgramResult result =
      run("s,Z9,fp16,64,64,64,,10,5,us,2,2:4,\ns,A100,fp16,64,64,64,,10,5,us,2,4:8,\n"
          "s,A100,fp16,64,64,64,,,,us,,2:4,\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("skipped 1 row, the first in line 2: no machine for GPU 'Z9'"));
  EXPECT_THAT(result.out,
              HasSubstr("skipped 1 row, the first in line 3: a100 has no hardware for 4:8"));
  EXPECT_THAT(result.out, HasSubstr("skipped 1 row, the first in line 4: nothing was measured"));
}

TEST_F(Validate, WritesCsvWithTheKeysOfTheRows) {
  const ProgramResult result = run("s,A100,fp16,64,64,64,,10,,us,,dense,\n", {"--format", "csv"});
  EXPECT_EQ(
      result.out.substr(0, result.out.find("\r\n")),
      "table,line,source,gpu,machine,dtype,pattern,m,n,k,batch_count,stack,timing,clock_mhz,"
      "command,use,"
      "skipped,measured_dense_us,"
      "simulated_dense_us,dense_error,likely_dense_us_low,likely_dense_us_high,"
      "measured_sparse_us,simulated_sparse_us,sparse_error,likely_sparse_us_low,"
      "likely_sparse_us_high,measured_speedup,simulated_speedup,speedup_error,likely_speedup_low,"
      "likely_speedup_high,dense_kernel,dense_bound_by,sparse_kernel,"
      "sparse_bound_by");
}

TEST_F(Validate, WritesAPageAndTheCells) {
  const std::filesystem::path out = directory_.path() / "new" / "page";
  const ProgramResult result =
      run("s,A100,fp16,64,64,64,,10,5,us,2,2:4,\n", {"--out", out.string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("validation.md", "validation_cells.csv",
                                                   "validation_errors.csv", "validation_rows.csv"));
  std::ifstream page(out / "validation.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_THAT(text, HasSubstr("| A100 | speedup | 1 |"));
}

TEST_F(Validate, ADirectoryThatCannotBeIsRefusedBeforehand) {
  const ProgramResult result =
      run("s,A100,fp16,64,64,64,,10,,us,,dense,\n", {"--out", "/dev/null/page"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("cannot create directory /dev/null/page"));
}

TEST_F(Validate, BadInputIsOneLineWithItsPlace) {
  const ProgramResult result = run("s,A100,fp16,64,64,0,,10,,us,,dense,\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("t.csv:2:19: error: K is '0'"));
  EXPECT_EQ(run_stcsim({"evidence", "rows", "/nowhere.csv"}).exit_code, 2);
}

/// The others are run all the same.
TEST_F(Validate, BadRowsAreListedAndTheRestGoesOn) {
  const ProgramResult result =
      run("s,A100,fp16,64,64,0,,10,,us,,dense,\ns,A100,fp16,64,64,64,,10,,us,,dense,\ns,A100\n",
          {"--format", "json"});
  EXPECT_EQ(result.exit_code, 1);
  const json document = json::parse(result.out);
  ASSERT_EQ(document["results"].size(), 1U);
  EXPECT_FALSE(document["results"][0]["dense_error"].is_null());
  EXPECT_EQ(document["bad_rows"].size(), 2U);
  EXPECT_THAT(result.err, HasSubstr("t.csv:2:19: error: K is '0'"));
  EXPECT_THAT(result.err, HasSubstr("t.csv:4:1: error: the row has 2 fields"));
}

TEST_F(Validate, RunsOnlyTheRowsAskedFor) {
  const std::string rows =
      "s,A100,fp16,64,64,64,,10,,us,,dense,\ns,RTX 3090,fp16,64,64,64,,10,,us,,dense,\n"
      "s,A100,int8,64,64,64,,10,,us,,dense,\n";
  const json kept =
      json::parse(run(rows, {"--machine", "a100", "--dtype", "int8", "--format", "json"}).out);
  ASSERT_EQ(kept["results"].size(), 1U);
  EXPECT_EQ(kept["results"][0]["line"], 4);
  EXPECT_EQ(run(rows, {"--use", "shown"}).exit_code, 2);
  EXPECT_EQ(run(rows, {"--machine", "a10"}).exit_code, 2);
}

/// Whatever the number of workers.
TEST_F(Validate, SaysTheSameWithSeveralWorkers) {
  const std::string rows =
      "s,A100,fp16,64,64,64,,10,,us,,dense,\ns,RTX 3090,fp16,64,64,64,,10,5,us,2,2:4,\n"
      "s,A100,int8,64,64,64,,10,,us,,dense,\ns,A100,fp16,64,64,64,,11,5,us,,2:4,\n";
  const ProgramResult one = run(rows, {"--format", "json"});
  const ProgramResult three = run(rows, {"--format", "json", "--jobs", "3"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, three.out);
}

TEST_F(Validate, ShowsTheCellsAlone) {
  const std::string row = "s,A100,fp16,64,64,64,,10,,us,,dense,\n";
  EXPECT_THAT(run(row, {"--show", "cells"}).out,
              HasSubstr("\na100     fp16  below  all                      dense time     1 "));
  EXPECT_THAT(run(row, {"--show", "cells", "--format", "csv"}).out,
              testing::StartsWith("machine,dtype,from_us,"));
  EXPECT_EQ(run(row, {"--show", "cells", "--format", "json"}).exit_code, 2);
}

}  // namespace
}  // namespace stcsim
