#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/sha256.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A GEMM on two SMs, milliseconds.
ProgramResult run_gemm(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"gemm", "--arch", "a100", "--set", "accelerator.num_sms=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_stcsim(arguments);
}

const std::vector<std::string> kShape{"--m", "128", "--n", "192", "--k", "256"};

std::vector<std::string> shape_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kShape;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

ordered_json gemm_json(const std::vector<std::string>& more) {
  const ProgramResult result = run_gemm(shape_with(more));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  return ordered_json::parse(result.out);
}

TEST(Gemm, DenseHasNoBaseline) {
  const ordered_json json = gemm_json({"--format", "json"});
  EXPECT_EQ(json["schema"], "stcsim.gemm/1");
  EXPECT_EQ(json["machine"], "a100");
  EXPECT_EQ(json["m"], 128);
  EXPECT_EQ(json["n"], 192);
  EXPECT_EQ(json["k"], 256);
  EXPECT_EQ(json["batch_count"], 1);
  EXPECT_EQ(json["dtype"], "fp16");
  EXPECT_EQ(json["pattern"], "dense");
  EXPECT_EQ(json["ran_sparse"], false);
  EXPECT_TRUE(json["dense"].is_null());
  EXPECT_TRUE(json["speedup"].is_null());
  EXPECT_TRUE(json["functional"].is_null());
  // 2 SMs, 4 sub-cores, 256 FMA/clk, 2 FLOP, 1410 MHz
  EXPECT_DOUBLE_EQ(json["peak_tflops"], 2 * 4 * 256 * 2 * 1410e6 / 1e12);
}

TEST(Gemm, SparseIsComparedWithDense) {
  const ordered_json sparse = gemm_json({"--format", "json", "--sparsity", "2:4"});
  const ordered_json dense = gemm_json({"--format", "json"});
  EXPECT_EQ(sparse["pattern"], "2:4");
  EXPECT_EQ(sparse["hardware_pattern"], "2:4");
  EXPECT_EQ(sparse["ran_sparse"], true);
  EXPECT_EQ(sparse["dense_cycles"], dense["cycles"]);
  EXPECT_EQ(sparse["dense"]["kernel"], dense["kernel"]);
  EXPECT_DOUBLE_EQ(sparse["speedup"],
                   dense["cycles"].get<double>() / sparse["cycles"].get<double>());
  EXPECT_DOUBLE_EQ(sparse["peak_tflops"], 2 * dense["peak_tflops"].get<double>());
}

TEST(Gemm, ConfigIsResolvedAndHashed) {
  const ordered_json json =
      gemm_json({"--format", "json", "--sparsity", "2:4", "--dtype", "bf16", "--batch-count", "3",
                 "--layout", "nt", "--c-layout", "column", "--candidates", "2"});
  const ordered_json& config = json["config"];
  EXPECT_EQ(json["config_hash"], sha256_hex(config.dump()));
  EXPECT_EQ(config["machine"]["accelerator"]["num_sms"], 2);
  EXPECT_EQ(config["m"], 128);
  EXPECT_EQ(config["batch_count"], 3);
  EXPECT_EQ(config["dtype"], "bf16");
  EXPECT_EQ(config["sparsity"], "2:4");
  EXPECT_EQ(config["layout"], "nt");
  EXPECT_EQ(config["c_layout"], "column");
  EXPECT_EQ(config["kernel"], "auto");
  EXPECT_EQ(config["kernel_candidates"], 2);
  EXPECT_TRUE(config["functional"].is_null());
}

TEST(Gemm, RunsTheNamedKernelAndTheDenseBaselineWithItsOwn) {
  const ordered_json json =
      gemm_json({"--format", "json", "--sparsity", "2:4", "--kernel", "sparse_64x64x64_s4"});
  EXPECT_EQ(json["kernel"]["name"], "sparse_64x64x64_s4");
  EXPECT_EQ(json["dense"], gemm_json({"--format", "json", "--sparsity", "2:4"})["dense"]);
}

/// Columns of C have 257 elements of two bytes, one after the other; A and B are aligned.
TEST(Gemm, SaysThatRowsOfCAreNotAligned) {
  const ProgramResult result =
      run_stcsim({"gemm", "--arch", "h200", "--set", "accelerator.num_sms=2", "--m", "257", "--n",
                  "256", "--k", "64", "--dtype", "bf16", "--c-layout", "column"});
  EXPECT_THAT(result.out, HasSubstr("note: rows of A, B or C are aligned to 2 bytes only"));
  EXPECT_THAT(result.out, HasSubstr("_align"));
}

TEST(Gemm, RefusesAKernelThatCannotRunIt) {
  const ProgramResult result = run_gemm(shape_with({"--kernel", "sparse_64x64x64_s4"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err,
              StartsWith("stcsim gemm: error: kernel 'sparse_64x64x64_s4' cannot be used: "));
}

TEST(Gemm, FunctionalModeFindsNoDifferenceInAnyLayout) {
  for (const char* layout : {"tn", "nn", "nt", "tt"}) {
    const ordered_json json = gemm_json({"--format", "json", "--sparsity", "2:4", "--functional",
                                         "--seed", "7", "--layout", layout});
    EXPECT_EQ(json["functional"]["checked_elements"], 128 * 192) << layout;
    EXPECT_EQ(json["functional"]["mismatches"], 0) << layout;
    EXPECT_EQ(json["config"]["functional"]["seed"], 7) << layout;
  }
}

/// Where values decide the time: several draws, of which the report is the first.
TEST(Gemm, SaysWhatToExpectOfValues) {
  const auto of_seed = [](const char* seed, const char* draws) {
    std::vector<std::string> all{"--format", "json",    "--sparsity", "2:4", "--functional",
                                 "--detail", "stages",  "--b-zeros",  "0.9", "--seed",
                                 seed,       "--draws", draws};
    for (const char* const value :
         {"operand_selector.skipped_zeros=b", "operand_selector.skip_window=unlimited",
          "operand_selector.b_bytes_per_clk=4096", "operand_selector.metadata_decode_cycles=0",
          "operand_fetch.register_bytes_per_clk=4096",
          "operand_fetch.accumulator_bytes_per_clk=4096"}) {
      all.insert(all.end(), {"--set", std::string("accelerator.sm.") + value});
    }
    const ProgramResult result = run_gemm(shape_with(all));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return ordered_json::parse(result.out);
  };
  std::vector<std::int64_t> cycles;
  for (const char* const seed : {"3", "4", "5"}) cycles.push_back(of_seed(seed, "1")["cycles"]);
  const ordered_json all = of_seed("3", "3");
  const ordered_json& found = all["functional"];
  EXPECT_EQ(all["cycles"], cycles.front());
  EXPECT_EQ(found["draws"], 3);
  EXPECT_EQ(found["checked_elements"], 3 * 128 * 192);
  EXPECT_EQ(found["mismatches"], 0);
  EXPECT_EQ(found["least_cycles"], *std::ranges::min_element(cycles));
  EXPECT_EQ(found["most_cycles"], *std::ranges::max_element(cycles));
  EXPECT_LT(found["least_cycles"], found["most_cycles"]);
  EXPECT_NEAR(found["mean_cycles"].get<double>(),
              static_cast<double>(cycles[0] + cycles[1] + cycles[2]) / 3, 1e-6);
}

/// What runs sparse is a matter of the type: of int4, pairs; of fp16, elements.
TEST(Gemm, NibblesRunSparseInPairsOnly) {
  const ordered_json pairs =
      gemm_json({"--format", "json", "--dtype", "int4", "--sparsity", "4:8 pairs", "--functional"});
  EXPECT_EQ(pairs["pattern"], "4:8 pairs");
  EXPECT_EQ(pairs["hardware_pattern"], "4:8 pairs");
  EXPECT_EQ(pairs["reason"], "");
  EXPECT_EQ(pairs["kernel"]["instruction"], "mma.sp.m16n8k128");
  EXPECT_EQ(pairs["functional"]["mismatches"], 0);
  const ordered_json elements =
      gemm_json({"--format", "json", "--dtype", "int4", "--sparsity", "2:4", "--functional"});
  EXPECT_EQ(elements["hardware_pattern"], "dense");
  EXPECT_EQ(elements["reason"], "2:4 does not fit 4:8 pairs hardware");
  EXPECT_EQ(elements["kernel"]["instruction"], "mma.m16n8k64");
  EXPECT_EQ(elements["functional"]["mismatches"], 0);
  const ordered_json halves = gemm_json({"--format", "json", "--sparsity", "4:8 pairs"});
  EXPECT_EQ(halves["hardware_pattern"], "dense");
  EXPECT_EQ(halves["reason"], "4:8 pairs does not fit 2:4 hardware");
}

TEST(Gemm, AFlippedMetadataBitIsADifference) {
  const ProgramResult result = run_gemm(shape_with(
      {"--sparsity", "2:4", "--functional", "--flip-metadata-bit", "5", "--format", "json"}));
  EXPECT_EQ(result.exit_code, 1);
  const ordered_json json = ordered_json::parse(result.out);
  const ordered_json& functional = json["functional"];
  EXPECT_GT(functional["mismatches"], 0);
  // One bit selects one operand of one row of C.
  EXPECT_LE(functional["mismatches"], 192);
  EXPECT_EQ(result.err,
            "stcsim gemm: C differs from the reference in " + functional["mismatches"].dump() +
                " of 24576 elements; the first: " + functional["text"].get<std::string>() + "\n");
}

TEST(Gemm, FastForwardChangesNothing) {
  const std::vector<std::string> arguments{"gemm",
                                           "--arch",
                                           "a100",
                                           "--m",
                                           "256",
                                           "--n",
                                           "256",
                                           "--k",
                                           "4096",
                                           "--sparsity",
                                           "2:4",
                                           "--set",
                                           "accelerator.num_sms=2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return run_stcsim(more);
  };
  const ProgramResult plain = with({"--format", "json"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(with({"--format", "json", "--fast-forward", "on"}).out, plain.out);
  EXPECT_EQ(with({"--format", "json", "--fast-forward", "off"}).out, plain.out);
  EXPECT_EQ(with({"--functional", "--fast-forward", "on"}).exit_code, 0);
}

TEST(Gemm, WritesTheSameToAFile) {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "out").string();
  for (const char* format : {"table", "json", "csv"}) {
    const ProgramResult written = run_gemm(shape_with({"--format", format, "--output", file}));
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(written.out, "");
    const std::string printed = run_gemm(shape_with({"--format", format})).out;
    EXPECT_EQ(read_text(file), format == std::string("table") ? without_next(printed) : printed);
  }
  EXPECT_EQ(files_in(directory.path()), std::vector<std::string>{"out"});
}

TEST(Gemm, FormatsAreWhatTheyClaim) {
  EXPECT_THAT(run_gemm(kShape).out, StartsWith("GEMM 128×192×256 fp16, A dense, on a100"));
  const std::string csv = run_gemm(shape_with({"--format", "csv"})).out;
  EXPECT_THAT(csv, StartsWith("schema,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

TEST(Gemm, AFailingConfigurationLeavesTheOutputFileAlone) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "out";
  write_text(file, "precious");
  EXPECT_EQ(
      run_gemm(shape_with({"--output", file.string(), "--kernel", "sparse_64x64x64_s4"})).exit_code,
      2);
  EXPECT_EQ(read_text(file), "precious");
  EXPECT_EQ(files_in(directory.path()), std::vector<std::string>{"out"});
}

/// Before it begins: here the named kernel fits no GEMM of this type, so that this is all that
/// happens.
TEST(Gemm, SaysWhatALongRunWillTake) {
  const auto told = [](const char* m, const char* n, const char* k,
                       const std::vector<std::string>& more) {
    std::vector<std::string> words{"--m", m, "--n", n, "--k", k, "--kernel", "sparse_64x64x64_s4"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_gemm(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  // 10^9 / 128 tiles of one k-step.
  EXPECT_THAT(told("1000000000", "1", "1", {}),
              StartsWith("stcsim gemm: note: 7.81 M tiles of 128 x 128: unless their waves recur, "
                         "this takes up to 6 minutes of one core; --sampled answers from a part "
                         "of them\n"));
  // 625 x 625 tiles of 1250 k-steps, which nothing skips.
  EXPECT_THAT(told("80000", "80000", "80000", {"--fast-forward", "off"}),
              HasSubstr(" up to 49 minutes of one core\n"));
  EXPECT_THAT(told("1000000000", "1", "1", {"--sampled"}), Not(HasSubstr("note: ")));
  EXPECT_THAT(told("65536", "65536", "65536", {}), Not(HasSubstr("note: ")));
  EXPECT_THAT(told("8192", "8192", "8192", {"--functional"}),
              StartsWith("stcsim gemm: note: 4,096 tiles of 128 x 128 with values take up to "));
  EXPECT_THAT(told("3", "1048576", "256", {"--functional"}), HasSubstr(" of one core and 1.09 GB"));
  EXPECT_EQ(run_gemm(shape_with({"--functional"})).err, "");
}

/// A GEMM whose 2:4 kernel is slower than the dense one: always says so, faster runs it dense, with
/// whatever software.
TEST(Gemm, RunsSparseWhereThatPays) {
  const std::vector<std::string> gemm{"gemm", "--arch",  "a100",        "--m",      "768",
                                      "--n",  "768",     "--k",         "8192",     "--sparsity",
                                      "2:4",  "--stack", "cuda11_rule", "--format", "json"};
  const auto run = [&](const std::string& where, const std::string& more = "--fast-forward=on") {
    std::vector<std::string> arguments = gemm;
    arguments.insert(arguments.end(), {"--where", where, more});
    return nlohmann::json::parse(run_stcsim(arguments).out);
  };
  auto always = run("always");
  EXPECT_LT(always["speedup"], 1.0);
  EXPECT_EQ(always["ran_sparse"], true);
  const auto faster = run("faster");
  EXPECT_EQ(faster["speedup"], 1.0);
  EXPECT_EQ(faster["ran_sparse"], false);
  EXPECT_EQ(faster["time_us"], always["dense"]["time_us"]);
  ASSERT_EQ(faster["beside"].size(), 2U);
  EXPECT_LT(always["beside"][0]["speedup"], 1.0);
  EXPECT_EQ(faster["beside"][0]["speedup"], 1.0) << "a search of one kernel loses as well";
  EXPECT_EQ(faster["beside"][1], always["beside"][1]) << "with the best of all kernels it pays";
  always["beside"] = nlohmann::json::array();
  EXPECT_EQ(run("always", "--no-spread"), always) << "it differs in nothing else";
}

/// As people type them.
TEST(GemmForms, SizesAndTypesAreTakenAsTheyAreWritten) {
  const auto out = [](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_stcsim(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return without_next(result.out);
  };
  const std::string asked =
      out({"gemm", "--arch", "a100", "--m", "1024", "--n", "256", "--k", "512", "--dtype", "bf16"});
  EXPECT_EQ(out({"gemm", "1024", "256", "512", "--arch", "a100", "--dtype", "bfloat16"}), asked);
  EXPECT_EQ(
      out({"gemm", "--arch", "a100", "--m", "1k", "--n", "256", "--k", "512", "--dtype", "BF16"}),
      asked);
  EXPECT_EQ(out({"explain", "256", "1K", "64", "--arch", "a100", "--dtype", "float16"}),
            out({"explain", "256", "1024", "64", "--arch", "a100"}));
}

/// 976562 times 1024 is the largest that is at most 10^9.
TEST(GemmForms, ThousandsAreHeldToTheLimitOfSizes) {
  const auto error = [](const std::string& m) {
    return run_stcsim({"gemm", "--arch", "a100", m, "8", "8", "--kernel", "none"}).err;
  };
  for (const std::string m : {"976563k", "999999k", "99999999999999999999k", "0k", "k"}) {
    EXPECT_EQ(error(m), "stcsim gemm: error: --m is '" + m +
                            "', must be a whole number from 1 to 1000000000\n");
  }
  EXPECT_THAT(error("976562k"), HasSubstr("--kernel is 'none'"));
}

}  // namespace
}  // namespace stcsim
