#include <gtest/gtest.h>

#include "reports/validation/stream_rows.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

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
  for (const char* const op : {"addu", "powu", "relu", "tanh", "gelu", "softmax", "ln"}) {
    EXPECT_EQ(bytes_of(op, DataType::fp32), one) << op;
  }
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
  EXPECT_EQ(skipped_streams(rows), "\nskipped 1 row, the first in line 0: because\n");
}

}  // namespace
}  // namespace stcsim
