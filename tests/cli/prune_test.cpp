#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/sha256.hpp"
#include "pruning/npy.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/unit/pruning/checkpoint_writer.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using pruning::CheckpointWriter;
using pruning::npy_text;
using pruning::read_npy;
using pruning::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

ProgramResult run_prune(const std::vector<std::string>& more, const ProgramOptions& options = {}) {
  std::vector<std::string> arguments{"prune"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_stcsim(arguments, options);
}

std::vector<std::string> words(const std::string& scheme, const std::string& pattern,
                               const std::string& input, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"--scheme", scheme, "--pattern", pattern, "--input", input});
  return more;
}

ordered_json figures(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = more;
  arguments.insert(arguments.end(), {"--format", "json"});
  const ProgramResult result = run_prune(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return ordered_json::parse(result.out);
}

/// Writes a matrix of two rows and eight columns and prunes it.
class PruneFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<float> values{1, 7, -3, 2, 4, -1, 0.5F, -2, 0, 0, 0, 5, 1, 1, 1, 1};
    write_text(path("x.npy"), npy_text({2, 8}, std::span<const float>(values)));
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }

  TemporaryDirectory directory_;
};

TEST_F(PruneFile, WritesTensorValuesAndMetadata) {
  const ProgramResult result =
      run_prune(words("magnitude", "2:4", path("x.npy"), {"--output", path("y.npy")}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Tensor y = read_npy(path("y.npy"));
  EXPECT_THAT(y.shape, ElementsAre(2, 8));
  EXPECT_THAT(y.values, ElementsAre(0, 7, -3, 0, 4, 0, 0, -2, 0, 0, 0, 5, 1, 1, 0, 0));
  const Tensor values = read_npy(path("y.values.npy"));
  EXPECT_THAT(values.shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(values.values, ElementsAre(7, -3, 4, -2, 0, 5, 1, 1));
  // A word per row: positions 1 2, 0 3 and 0 3, 0 1, lowest bits first.
  const std::string metadata = read_text(path("y.metadata.npy"));
  EXPECT_THAT(metadata, HasSubstr("'<u4', 'fortran_order': False, 'shape': (2, 1)"));
  std::array<std::uint32_t, 2> stored{};
  std::memcpy(stored.data(), metadata.data() + metadata.size() - 8, 8);
  EXPECT_THAT(stored, ElementsAre(0b11'00'10'01U, 0b01'00'11'00U));
  EXPECT_EQ(files_in(directory_.path()),
            (std::vector<std::string>{"x.npy", "y.metadata.npy", "y.npy", "y.values.npy"}));
}

/// The simulated machine multiplies by what was written, and refuses what does not have the
/// pattern.
TEST_F(PruneFile, IsAnOperandOfGemm) {
  ASSERT_EQ(
      run_prune(words("magnitude", "2:4", path("x.npy"), {"--output", path("y.npy")})).exit_code,
      0);
  const auto gemm_of = [&](const std::string& operand, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"gemm",
                                       "--arch",
                                       "a100",
                                       "--set",
                                       "accelerator.num_sms=2",
                                       "--m",
                                       "2",
                                       "--n",
                                       "8",
                                       "--k",
                                       "8",
                                       "--sparsity",
                                       "2:4",
                                       "--functional",
                                       "--operand-a",
                                       operand};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_stcsim(arguments);
  };
  EXPECT_EQ(gemm_of(path("y.npy"), {}).exit_code, 0);
  EXPECT_EQ(gemm_of(path("x.npy"), {"--prune", "magnitude"}).exit_code, 0);
  const ProgramResult dense = gemm_of(path("x.npy"), {});
  EXPECT_EQ(dense.exit_code, 2);
  EXPECT_THAT(dense.err,
              HasSubstr("A does not satisfy 2:4: batch 0, row 0, the group from k = 0 "));
  const ProgramResult other = gemm_of(path("y.values.npy"), {});
  EXPECT_THAT(other.err,
              HasSubstr("y.values.npy: error: is 2x2x2, operand A has to be M x K = 2 x 8"));
}

TEST_F(PruneFile, WritesWhatSchemesGiveBesides) {
  EXPECT_EQ(run_prune(words("slope", "2:4", path("x.npy"), {"--output", path("s.npy")})).exit_code,
            0);
  EXPECT_THAT(read_npy(path("s.backward.npy")).shape, ElementsAre(2, 8));
  EXPECT_THAT(read_npy(path("s.backward.values.npy")).shape, ElementsAre(8, 1, 2));
  EXPECT_THAT(read_text(path("s.backward.order.npy")), HasSubstr("'<i8'"));
  EXPECT_EQ(run_prune(words("sr-ste", "2:4", path("x.npy"),
                            {"--output", path("r.npy"), "--decay", "0.5"}))
                .exit_code,
            0);
  EXPECT_THAT(read_npy(path("r.decay.npy")).values,
              ElementsAre(0.5F, 0, 0, 1, 0, -0.5F, 0.25F, 0, 0, 0, 0, 0, 0, 0, 0.5F, 0.5F));
  EXPECT_EQ(
      run_prune(words("asp-permuted", "2:4", path("x.npy"), {"--output", path("a.npy")})).exit_code,
      0);
  EXPECT_THAT(read_text(path("a.order.npy")), HasSubstr("'shape': (8,)"));
}

TEST_F(PruneFile, LeavesFilesAloneIfTheInputIsWrong) {
  write_text(path("bad.npy"), "bad");
  write_text(path("y.npy"), "precious");
  const ProgramResult result =
      run_prune(words("magnitude", "2:4", path("bad.npy"), {"--output", path("y.npy")}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith(path("bad.npy") + ": error: is not a NumPy file"));
  EXPECT_EQ(read_text(path("y.npy")), "precious");
  EXPECT_EQ(files_in(directory_.path()), (std::vector<std::string>{"bad.npy", "x.npy", "y.npy"}));
}

TEST_F(PruneFile, RefusesAnOutputThatCannotBeWritten) {
  const ProgramResult result =
      run_prune(words("magnitude", "2:4", path("x.npy"), {"--output", path("no/y.npy")}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot write " + path("no/y.npy")));
}

TEST(Prune, JsonHasTheFiguresAndTheConfiguration) {
  const ordered_json json =
      figures(words("mvue", "2:4", "normal:64x64", {"--draws", "8", "--seed", "3"}));
  EXPECT_EQ(json["schema"], "stcsim.prune/1");
  EXPECT_EQ(json["scheme"], "mvue");
  EXPECT_EQ(json["pattern"], "2:4");
  EXPECT_EQ(json["shape"], "64x64");
  EXPECT_EQ(json["elements"], 4096);
  EXPECT_EQ(json["nonzeros"], 2048);
  EXPECT_EQ(json["groups"]["groups"], 1024);
  EXPECT_EQ(json["groups"]["violations"], 0);
  EXPECT_TRUE(json["second_groups"].is_null());
  EXPECT_EQ(json["estimator"]["draws"], 8);
  EXPECT_EQ(json["config"]["seed"], 3);
  EXPECT_EQ(json["config_hash"], sha256_hex(json["config"].dump()));
  EXPECT_TRUE(json["optimum_ratio"].is_null());
}

TEST(Prune, TransposableMasksHoldAlongBothAxes) {
  const ordered_json json = figures(words("transposable-greedy", "4:8", "normal:64x64"));
  EXPECT_EQ(json["groups"]["axis"], 1);
  EXPECT_EQ(json["second_groups"]["axis"], 0);
  EXPECT_EQ(json["second_groups"]["violations"], 0);
  EXPECT_GT(json["optimum_ratio"], 0.9);
  EXPECT_LT(json["optimum_ratio"], 1);
  EXPECT_TRUE(figures(words("transposable-greedy", "4:8", "normal:64x64",
                            {"--skip-optimum"}))["optimum_ratio"]
                  .is_null());
}

TEST(Prune, DoesNotDependOnJobs) {
  for (const char* const scheme : {"mvue", "transposable", "bi-mask", "s-ste"}) {
    const std::vector<std::string> one = words(scheme, "2:4", "normal:60x70", {"--format", "csv"});
    std::vector<std::string> three = one;
    three.insert(three.end(), {"--jobs", "3"});
    EXPECT_EQ(run_prune(one).out, run_prune(three).out) << scheme;
  }
}

TEST(Prune, CsvHasTheSameColumnsForAllSchemes) {
  const auto header = [](const std::string& scheme) {
    const std::string csv = run_prune(words(scheme, "2:4", "normal:8x8", {"--format", "csv"})).out;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
    return csv.substr(0, csv.find('\n'));
  };
  EXPECT_THAT(header("magnitude"), StartsWith("schema,version,config_hash,scheme,pattern,"));
  EXPECT_EQ(header("magnitude"), header("slope"));
  EXPECT_EQ(header("magnitude"), header("transposable"));
  EXPECT_EQ(header("magnitude"), header("mvue"));
}

TEST(Prune, TableNamesWhatWasDone) {
  const ProgramResult result = run_prune(words("s-ste", "2:4", "constant:4x4"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("4x4 pruned to 2:4 by s-ste along axis 1\n"));
  EXPECT_THAT(result.out, HasSubstr("scale beta"));
}

/// The GEMM of its first weight that is pruned: 12 outputs by 4 channels of 2 x 2.
TEST_F(PruneFile, TheNextCommandIsOfTheFile) {
  CheckpointWriter writer;
  writer.add("embed.weight", "F32", {4, 8}, std::string(128, '\0'));
  writer.add("conv.weight", "F32", {12, 4, 2, 2}, std::string(768, '\0'));
  write_text(path("m.safetensors"), writer.text());
  const ProgramResult result = run_stcsim(
      {"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", path("m.safetensors")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("stcsim gemm --arch a100 12 4096 16 --sparsity 2:4"));
}

TEST(Prune, PrunesByAdaPrune) {
  const ordered_json json =
      figures(words("adaprune", "2:4", "normal:8x16", {"--calibration", "normal:60x16"}));
  EXPECT_LT(json["calibration"]["trained_error"], json["calibration"]["masked_error"]);
}

TEST_F(PruneFile, WritesPairs) {
  const ProgramResult result =
      run_prune(words("magnitude", "4:8 pairs", path("x.npy"), {"--output", path("y.npy")}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_npy(path("y.npy")).values,
              ElementsAre(1, 7, -3, 2, 0, 0, 0, 0, 0, 0, 0, 5, 1, 1, 0, 0));
  const Tensor values = read_npy(path("y.values.npy"));
  EXPECT_THAT(values.shape, ElementsAre(2, 1, 4));
  EXPECT_THAT(values.values, ElementsAre(1, 7, -3, 2, 0, 5, 1, 1));
  // Of the pairs with sums of 5 the first. A word per row: pairs 0 1 and 1 2, lowest bits first.
  const std::string metadata = read_text(path("y.metadata.npy"));
  std::array<std::uint32_t, 2> stored{};
  std::memcpy(stored.data(), metadata.data() + metadata.size() - 8, 8);
  EXPECT_THAT(stored, ElementsAre(0b01'00U, 0b10'01U));
}

void expect_refusal(const std::vector<std::string>& arguments, const std::string& why) {
  const ProgramResult result = run_prune(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(why));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST(Prune, RefusesWrongOptions) {
  expect_refusal({"--pattern", "2:4"}, "--scheme is missing");
  expect_refusal(words("magnitud", "2:4", "normal:4x4"), "did you mean 'magnitude'?");
  expect_refusal(words("magnitude", "4:2", "normal:4x4"), "must be n:m");
  expect_refusal(words("magnitude", "dense", "normal:4x4"), "must be n:m");
  expect_refusal(words("magnitude", "2:4", "normal:4by4"), "must be normal:SHAPE");
  expect_refusal(words("magnitude", "2:4", "normal:4x4", {"--axis", "2"}), "no axis 2");
  expect_refusal(words("mvue-pairs", "1:2", "normal:4x4"), "for 2:4 only");
  expect_refusal(words("magnitude", "3:8 pairs", "normal:4x4"), "must be n:m");
  expect_refusal(words("transposable", "4:8 pairs", "normal:8x8"), "not 4:8 pairs");
  expect_refusal(words("adaprune", "2:4", "normal:4x4"), "--calibration is missing");
  expect_refusal(words("magnitude", "2:4", "normal:4x4", {"--output", "y.txt"}), "ends in .npy");
}

TEST(Prune, RefusesOptionsWithoutEffect) {
  const std::string why = "has no effect on the scheme magnitude";
  for (const std::string option :
       {"--draws=4", "--beta=1", "--decay=1", "--candidates=1", "--calibration=normal:4x4",
        "--iterations=1", "--second-axis=0", "--skip-optimum", "--rescale=group"}) {
    expect_refusal(words("magnitude", "2:4", "normal:4x4", {option}), why);
  }
  expect_refusal(words("magnitude", "2:4", "x.npy", {"--seed", "1"}),
                 "and an input that is not random");
  expect_refusal(words("mvue", "2:4", "normal:4x4", {"--allow-non-finite"}), "has no effect");
}

TEST_F(PruneFile, NamesTheElementThatIsNotFinite) {
  const std::vector<float> values{1, NAN, 2, 3};
  write_text(path("nan.npy"), npy_text({1, 4}, std::span<const float>(values)));
  expect_refusal(words("magnitude", "2:4", path("nan.npy")),
                 "element [0, 1] of " + path("nan.npy") + " is nan, must");
  EXPECT_EQ(figures(words("magnitude", "2:4", path("nan.npy"), {"--allow-non-finite"}))["nonzeros"],
            2);
}

}  // namespace
}  // namespace stcsim
