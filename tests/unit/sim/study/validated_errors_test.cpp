#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/study/speedup_interval.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

class ValidatedErrorsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }
  void write_errors(const std::string& rows) {
    std::ofstream(directory_ / "errors.csv")
        << "machine,dtype,quantity,rows,mean_absolute_error,bias\n"
        << rows;
  }
  std::optional<ValidatedErrors> load() { return ValidatedErrors::load(directory_.path()); }

  test::TemporaryDirectory directory_;
};

TEST_F(ValidatedErrorsTest, AreThoseOfTheMachineAndType) {
  write_errors(
      "a,fp16,dense,10,0.1,0\na,fp16,speedup,10,0.05,0\na,,stream,10,0.2,0\n"
      "a,int8,dense,10,0.3,0\nb,fp16,dense,9,0.9,0\n");
  write("assumed_errors.csv", "machine,as,note\nc,a,extends it\nd,c,extends it\n");
  const auto errors = load();
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->of("a", DataType::fp16), (TimeErrors{0.1, 0.05, 0.2, false}));
  EXPECT_EQ(errors->of("a", DataType::int8), (TimeErrors{0.3, 0.05, 0.2, true}));
  EXPECT_EQ(errors->of("a", DataType::bf16), (TimeErrors{0.1, 0.05, 0.2, true}));
  EXPECT_EQ(errors->of("c", DataType::fp16), (TimeErrors{0.1, 0.05, 0.2, true}));
  EXPECT_EQ(errors->of("d", DataType::fp16), (TimeErrors{0.1, 0.05, 0.2, true}));
  EXPECT_EQ(errors->of("unknown", DataType::fp16), (TimeErrors{0.3, 0.05, 0.2, true}));
  EXPECT_EQ(errors->of("b", DataType::fp16).dense, 0.3) << "nine rows are too few";
}

/// Kernels beside the GEMMs were measured on one machine only: that alone is not said of others.
TEST_F(ValidatedErrorsTest, OtherKernelsErrAlikeOnAllMachines) {
  write_errors("a,fp16,dense,10,0.1,0\na,fp16,speedup,10,0.05,0\nb,,stream,10,0.2,0\n");
  write("assumed_errors.csv", "machine,as,note\n");
  EXPECT_EQ(load()->of("a", DataType::fp16), (TimeErrors{0.1, 0.05, 0.2, false}));
}

TEST_F(ValidatedErrorsTest, AreUnknownWithoutTheFiles) {
  EXPECT_FALSE(load());
  write_errors("");
  EXPECT_FALSE(load());
}

TEST_F(ValidatedErrorsTest, MistakesAreNamedWithTheirPlace) {
  write("assumed_errors.csv", "machine,as,note\n");
  write_errors("a,fp16,dense,10,-1,0\n");
  try {
    (void)load();
    ADD_FAILURE() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("errors.csv:2:17: error: '-1' is no number"),
              std::string::npos)
        << error.what();
  }
}

TEST(ShippedErrors, CoverEveryShippedMachine) {
  const auto errors = ValidatedErrors::load(STCSIM_SOURCE_DIR "/configs/validation");
  ASSERT_TRUE(errors);
  for (const char* const measured : {"a100", "a100_pcie", "rtx3090"}) {
    EXPECT_FALSE(errors->of(measured, DataType::fp16).is_assumed) << measured;
  }
  for (const char* const assumed : {"a100_nm", "ideal"}) {
    TimeErrors expected = errors->of("a100", DataType::fp16);
    expected.is_assumed = true;
    EXPECT_EQ(errors->of(assumed, DataType::fp16), expected) << assumed;
  }
  for (const char* const machine : {"h100_sxm", "h100_pcie", "rtx4090", "a100_80gb"}) {
    const TimeErrors found = errors->of(machine, DataType::fp16);
    EXPECT_GT(found.dense, 0) << machine;
    EXPECT_GT(found.gain, 0) << machine;
    EXPECT_GT(found.stream, 0) << machine;
  }
}

}  // namespace
}  // namespace stcsim
