
#include "curves/tensorboard.hpp"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"
#include "tests/unit/curves/event_bytes.hpp"

namespace stcsim::curves {
namespace {

using stcsim::test::bytes_field;
using stcsim::test::double_field;
using stcsim::test::float_bytes;
using stcsim::test::message_of;
using stcsim::test::number_field;
using stcsim::test::record;
using stcsim::test::scalar_record;
using stcsim::test::start_record;
using stcsim::test::TemporaryDirectory;
using stcsim::test::tensor_record;
using stcsim::test::version_record;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Points = std::vector<Point>;

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

class Tensorboard : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  /// As a user would have a file of these bytes read.
  RunFile read(const std::string& bytes, const ReadOptions& options = {}) {
    return read_runs(bytes, "events", options);
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
};

/// Every event file of TensorFlow's begins with a record of 24 bytes, the time and "brain.Event:2".
TEST(RecordHead, IsThatOfEveryEventFile) {
  const std::string head("\x18\0\0\0\0\0\0\0\xa3\x7fK\"", 12);
  EXPECT_TRUE(begins_like_records(head));
  EXPECT_EQ(version_record().substr(0, 12), head);
  EXPECT_FALSE(begins_like_records(head.substr(0, 11)));
  EXPECT_FALSE(begins_like_records("epoch,accuracy\n1,0.5\n"));
}

TEST_F(Tensorboard, ScalarsOfPyTorch) {
  const RunFile file = read(version_record() + scalar_record(10, "loss", 2) +
                            scalar_record(20, "loss", 1.5F) + scalar_record(20, "acc", 0.25F));
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].format, "tensorboard");
  EXPECT_EQ(file.runs[0].find("loss")->axis, Axis::steps);
  EXPECT_EQ(file.runs[0].find("loss")->points, (Points{{10, 2}, {20, 1.5}}));
  EXPECT_EQ(file.runs[0].find("acc")->points, (Points{{20, 0.25}}));
  EXPECT_THAT(file.notes, IsEmpty());
}

/// A whole file as tensorboard_logger wrote it (TeamHG-Memex/tensorboard_logger,
/// test_serialization).
TEST_F(Tensorboard, AFileOfAnotherWriter) {
  const RunFile file = read(bytes_of_hex(
      "1800000000000000a37f4b220900000000000870401a0d627261696e2e4576656e743a32bc98212b19000000"
      "000000008bf1082809000000000008704010012a0c0a0a0a03762f31150000c03f2cecc0871a000000000000"
      "00129bd82d09000000000008704010022a0d0a0b0a04762f323215000080418fa3b688"));
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].format, "tensorboard");
  EXPECT_EQ(file.runs[0].find("v/1")->points, (Points{{1, 1.5}}));
  EXPECT_EQ(file.runs[0].find("v/22")->points, (Points{{2, 16}}));
  EXPECT_THAT(file.notes, IsEmpty());
}

/// First records of two files that TensorFlow wrote in 2015 (tensorflow/tensorflow,
/// python/summary/impl/gcs_file_loader_test.py), with a value behind them.
TEST_F(Tensorboard, RecordsOfTensorFlow) {
  const std::string heads = bytes_of_hex(
      "1800000000000000a37f4b22090000c025dd75d5411a0d627261696e2e4576656e743a31ecf3328d"
      "1800000000000000a37f4b220900000027e6b3d5411a0d627261696e2e4576656e743a326a4d0b15");
  const RunFile file = read(heads + scalar_record(10, "loss", 2));
  EXPECT_EQ(file.runs.at(0).find("loss")->points, (Points{{10, 2}}));
  EXPECT_THAT(file.notes, IsEmpty());
}

/// Keras' steps are epochs, from 0 on.
TEST_F(Tensorboard, TensorsOfKeras) {
  const std::string bytes = version_record() + tensor_record(0, "epoch_accuracy", 0.5) +
                            tensor_record(1, "epoch_accuracy", 0.75) +
                            tensor_record(100, "batch_loss", 3);
  const RunFile file = read(bytes);
  EXPECT_EQ(file.runs[0].find("epoch_accuracy")->axis, Axis::epochs);
  EXPECT_EQ(file.runs[0].find("epoch_accuracy")->points, (Points{{1, 0.5}, {2, 0.75}}));
  EXPECT_EQ(file.runs[0].find("batch_loss")->points, (Points{{100, 3}}));
  EXPECT_EQ(read(bytes, {.format = {}, .axis = Axis::steps}).runs[0].curves.size(), 1U);
}

TEST_F(Tensorboard, OfTheWaysToWriteATensor) {
  const auto event = [](const std::string& tensor) {
    return parse_event(
        number_field(2, 7) +
        bytes_field(5, bytes_field(1, bytes_field(1, "t") + bytes_field(8, tensor))));
  };
  const auto value = [&](const std::string& tensor) -> std::optional<double> {
    const std::optional<Event> parsed = event(tensor);
    if (!parsed || parsed->scalars.size() != 1) return std::nullopt;
    return parsed->scalars.front().value;
  };
  using stcsim::test::field;
  using stcsim::test::little_endian;
  EXPECT_EQ(value(number_field(1, 1) + bytes_field(4, float_bytes(2.5F))), 2.5);
  EXPECT_EQ(value(number_field(1, 1) + bytes_field(5, float_bytes(2.5F))), 2.5);
  EXPECT_EQ(value(number_field(1, 1) + stcsim::test::float_field(5, 2.5F)), 2.5);
  EXPECT_EQ(value(number_field(1, 2) + double_field(6, 2.5)), 2.5);
  EXPECT_EQ(value(number_field(1, 2) + bytes_field(4, double_field(1, 2.5).substr(1))), 2.5);
  // Two values, none, or a text are no scalar.
  EXPECT_EQ(value(number_field(1, 1) + bytes_field(5, float_bytes(1) + float_bytes(2))),
            std::nullopt);
  EXPECT_EQ(value(number_field(1, 1)), std::nullopt);
  EXPECT_EQ(value(number_field(1, 7) + bytes_field(8, "text")), std::nullopt);
  // A length beyond the message.
  EXPECT_FALSE(event(field(4, 2) + "\x7F"));
  EXPECT_FALSE(event(field(5, 2) + "\x7F"));
}

TEST_F(Tensorboard, FieldsThatAreNotWantedAreSkipped) {
  const std::string graph = bytes_field(4, "a graph");
  const std::string image =
      bytes_field(5, bytes_field(1, bytes_field(1, "image") + bytes_field(4, number_field(1, 28))));
  const RunFile file =
      read(version_record() + record(graph) + record(image) + scalar_record(1, "acc", 0.5));
  EXPECT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_THAT(file.notes, IsEmpty());
}

TEST_F(Tensorboard, ARunThatStartsAgainDropsWhatItDoesAgain) {
  const RunFile file =
      read(version_record() + scalar_record(1, "acc", 1) + scalar_record(2, "acc", 2) +
           scalar_record(3, "acc", 3) + start_record(2) + scalar_record(2, "acc", 20));
  EXPECT_EQ(file.runs[0].find("acc")->points, (Points{{1, 1}, {2, 20}}));
}

/// A session of Keras that starts again at epoch 1 has not trained epochs 1 and 2 yet.
TEST_F(Tensorboard, ASessionOfKerasThatStartsAgainDropsEpochs) {
  const RunFile file =
      read(version_record() + tensor_record(0, "epoch_accuracy", 0.5) +
           tensor_record(1, "epoch_accuracy", 0.75) + tensor_record(2, "epoch_accuracy", 0.875) +
           start_record(1) + tensor_record(1, "epoch_accuracy", 0.625));
  EXPECT_EQ(file.runs[0].find("epoch_accuracy")->points, (Points{{1, 0.5}, {2, 0.625}}));
}

TEST_F(Tensorboard, ADirectoryIsOneRun) {
  write("events.out.tfevents.1600000001.host", version_record() + scalar_record(2, "acc", 20));
  write("events.out.tfevents.1600000000.host",
        version_record() + scalar_record(1, "acc", 1) + scalar_record(2, "acc", 2));
  write("hparams.yaml", "lr: 1\n");
  const RunFile file = read_runs(folder());
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].name, folder().string());
  EXPECT_EQ(file.runs[0].find("acc")->points, (Points{{1, 1}, {2, 20}}));
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_THAT(file.notes[0].text, HasSubstr("measured again at one point"));
}

TEST_F(Tensorboard, ACutLastRecordIsLeftOut) {
  const std::string whole = version_record() + scalar_record(1, "acc", 1);
  const std::string last = scalar_record(2, "acc", 2);
  for (std::size_t kept = 1; kept < last.size(); ++kept) {
    const RunFile file = read(whole + last.substr(0, kept));
    EXPECT_EQ(file.runs[0].find("acc")->points, (Points{{1, 1}})) << kept;
    ASSERT_EQ(file.notes.size(), 1U);
    EXPECT_EQ(file.notes[0].text,
              "the last record, at byte " + std::to_string(whole.size()) + ", is cut; left out");
  }
}

/// Any bit, wherever it is, is noticed.
TEST_F(Tensorboard, AWrongChecksumEndsTheFile) {
  const std::string whole = version_record() + scalar_record(1, "acc", 1);
  const std::string next = scalar_record(2, "acc", 2);
  for (std::size_t byte = 0; byte < next.size(); ++byte) {
    std::string damaged = next;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 4);
    const RunFile file = read(whole + damaged + scalar_record(3, "acc", 3));
    EXPECT_EQ(file.runs[0].find("acc")->points, (Points{{1, 1}})) << byte;
    ASSERT_EQ(file.notes.size(), 1U);
    EXPECT_THAT(file.notes[0].text, HasSubstr("has a wrong checksum"));
  }
}

/// Larger than what is kept: read past, and known to be whole.
TEST_F(Tensorboard, LargeRecordsAreReadPast) {
  const std::string large(kLargestRecord + 1, 'x');
  const RunFile file =
      read_runs(write("events", version_record() + record(large) + scalar_record(1, "acc", 1)));
  EXPECT_EQ(file.runs[0].find("acc")->points, (Points{{1, 1}}));
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_EQ(file.notes[0].text, "1 records of more than 16 MiB (graphs, images); left out");
}

TEST_F(Tensorboard, SaysWhatIsMissing) {
  const auto error = [&](const std::string& bytes, const ReadOptions& options = {}) {
    const std::string message =
        message_of<ConfigError>([&] { static_cast<void>(read(bytes, options)); });
    return message.substr(message.find("error: "));
  };
  EXPECT_EQ(error(version_record()), "error: the event files have no scalar value");
  EXPECT_EQ(error(version_record() + record("\xFF")),
            "error: the event files have no scalar value: the record is no event of TensorBoard's; "
            "left out");
  EXPECT_EQ(error(version_record(), {.format = {}, .axis = Axis::hours}),
            "error: event files count steps (Keras' epochs), not hours");
  EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(event_files_in(folder() / "no")); }),
              HasSubstr("cannot read "));
  const TemporaryDirectory empty;
  EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(event_files_in(empty.path())); }),
              HasSubstr("is a directory without event files (*tfevents*)"));
}

}  // namespace
}  // namespace stcsim::curves
