#include "reports/validation/stream_rows.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "reports/validation/cells.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

class StreamTable : public ::testing::Test {
 protected:
  MeasuredStream first(const std::string& row) {
    std::ofstream(path_) << "source,gpu,op,dtype,rows,columns,time_us,machine,overhead_us\n"
                         << row << "\n";
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
  const MeasuredStream row = first("s,A100,softmax,fp16,8,1024,57.5,a100,22.4");
  EXPECT_EQ(row.where.line, 2);
  EXPECT_EQ(row.gpu, "A100");
  EXPECT_EQ(row.machine, "a100");
  EXPECT_EQ(row.op, "softmax");
  EXPECT_EQ(row.dtype, DataType::fp16);
  EXPECT_EQ(row.rows, 8);
  EXPECT_EQ(row.columns, 1024);
  EXPECT_EQ(row.time_us, 57.5);
  EXPECT_EQ(row.overhead_us, 22.4);
  EXPECT_EQ(first("s,A100,softmax,fp16,8,1024,57.5,a100,").overhead_us, 0);
}

TEST_F(StreamTable, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("s,A100,sqrt,fp16,8,1024,57.5,,"),
            "t.csv:2:8: error: op is 'sqrt', must be one of add, mul, div, pow, addu, mulu, divu, "
            "powu, relu, tanh, gelu, softmax, ln");
  EXPECT_EQ(error_of("s,A100,ln,int8,8,1024,57.5,,"),
            "t.csv:2:11: error: dtype is 'int8', must be fp32 or fp16");
  EXPECT_EQ(error_of("s,A100,ln,fp16,8,1024,,,"), "t.csv:2:23: error: time_us is missing");
  EXPECT_THROW(first("s,A100,ln,fp16,0,1024,5,,"), ConfigError);
}

MeasuredStream measured(const std::string& op, DataType dtype) {
  MeasuredStream stream;
  stream.gpu = "tiny";
  stream.op = op;
  stream.dtype = dtype;
  stream.rows = 30;
  stream.columns = 100;
  stream.time_us = 10;
  return stream;
}

/// Bytes read and written, of 3000 elements.
std::pair<std::int64_t, std::int64_t> bytes_of(const std::string& op, DataType dtype) {
  const StreamWork work = stream_work_of(measured(op, dtype), load_framework("pytorch_eager"));
  return {work.read_bytes, work.write_bytes};
}

TEST(StreamValidation, MovesTheTensorsOfTheOperation) {
  const std::pair<std::int64_t, std::int64_t> two{24000, 12000};
  const std::pair<std::int64_t, std::int64_t> one{12000, 12000};
  for (const char* const op : {"add", "mul", "div", "pow"}) {
    EXPECT_EQ(bytes_of(op, DataType::fp32), two) << op;
  }
  for (const char* const op : {"addu", "powu", "relu", "tanh", "gelu", "softmax"}) {
    EXPECT_EQ(bytes_of(op, DataType::fp32), one) << op;
  }
  EXPECT_EQ(bytes_of("ln", DataType::fp32), two);  // its rows are read twice
  EXPECT_EQ(bytes_of("relu", DataType::fp16), (std::pair<std::int64_t, std::int64_t>{6000, 6000}));
}

TEST(StreamValidation, RunsRowsOnTheirMachines) {
  std::vector<MeasuredStream> rows{measured("relu", DataType::fp32),
                                   measured("ln", DataType::fp32)};
  rows[1].gpu = "Z9";
  const std::vector<StreamRow> done =
      validate_streams(rows, {{"tiny", test::tiny_machine()}}, load_framework("pytorch_eager"), {});
  ASSERT_TRUE(done[0].time_us);
  // 24000 bytes at 64 a clock of DRAM, at 1000 MHz.
  EXPECT_GT(*done[0].time_us, 24000 / 64 / 1000.0);
  EXPECT_EQ(done[0].machine, "tiny");
  EXPECT_FALSE(done[1].time_us);
  EXPECT_EQ(done[1].skipped, "no machine for GPU 'Z9'");
}

/// Whatever the operator's time on the host, the kernel takes as long.
TEST(StreamValidation, AddsWhatTheTimeIncludesBesideTheKernel) {
  std::vector<MeasuredStream> rows{measured("relu", DataType::fp32),
                                   measured("relu", DataType::fp32)};
  rows[1].overhead_us = 15.5;
  const std::vector<StreamRow> done =
      validate_streams(rows, {{"tiny", test::tiny_machine()}}, load_framework("pytorch_eager"), {});
  EXPECT_DOUBLE_EQ(done[1].time_us.value(), done[0].time_us.value() + 15.5);
}

TEST(StreamTables, ErrorsOfMachinesAndOperations) {
  std::vector<StreamRow> rows{{measured("relu", DataType::fp32), "a100", 9.0, ""},
                              {measured("relu", DataType::fp32), "a100", 13.0, ""},
                              {measured("ln", DataType::fp32), "a100", 8.0, ""},
                              {measured("ln", DataType::fp32), "", std::nullopt, "because"}};
  EXPECT_EQ(stream_table(rows).to_string(),
            "machine  operation  rows  shortest  mean error     bias\n"
            "-------  ---------  ----  --------  ----------  -------\n"
            "a100     all           3   10.0 us      20.0 %   +0.0 %\n"
            "a100     ln            1   10.0 us      20.0 %  -20.0 %\n"
            "a100     relu          2   10.0 us      20.0 %  +10.0 %\n");
  EXPECT_EQ(skipped_in(rows),
            std::vector<std::string>{"skipped 1 row, the first in line 0: because"});
}

}  // namespace
}  // namespace stcsim
