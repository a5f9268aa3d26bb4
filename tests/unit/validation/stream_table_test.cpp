#include <fstream>

#include <gtest/gtest.h>

#include "reports/validation/stream_rows.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

class StreamTable : public ::testing::Test {
 protected:
  MeasuredStream first(const std::string& row) {
    std::ofstream(path_) << "source,gpu,op,dtype,rows,columns,time_us,machine\n" << row << "\n";
    return read_measured_streams(path_).at(0);
  }
  std::string error_of(const std::string& row) {
    const std::string message = test::message_of<ConfigError>([&] { (void)first(row); });
    return message.substr(message.find("t.csv"));
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "t.csv";
};

TEST_F(StreamTable, ReadsARow) {
  const MeasuredStream row = first("s,A100,softmax,fp16,8,1024,57.5,a100");
  EXPECT_EQ(row.where.line, 2);
  EXPECT_EQ(row.gpu, "A100");
  EXPECT_EQ(row.machine, "a100");
  EXPECT_EQ(row.op, "softmax");
  EXPECT_EQ(row.dtype, DataType::fp16);
  EXPECT_EQ(row.rows, 8);
  EXPECT_EQ(row.columns, 1024);
  EXPECT_EQ(row.time_us, 57.5);
}

TEST_F(StreamTable, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("s,A100,sqrt,fp16,8,1024,57.5,"),
            "t.csv:2:8: error: op is 'sqrt', must be one of add, mul, div, pow, addu, mulu, divu, "
            "powu, relu, tanh, gelu, softmax, ln");
  EXPECT_EQ(error_of("s,A100,ln,int8,8,1024,57.5,"),
            "t.csv:2:11: error: dtype is 'int8', must be fp32 or fp16");
  EXPECT_EQ(error_of("s,A100,ln,fp16,8,1024,,"), "t.csv:2:23: error: time_us is missing");
  EXPECT_THROW(first("s,A100,ln,fp16,0,1024,5,"), ConfigError);
}

}  // namespace
}  // namespace stcsim
