// Files of every format with something broken in them: a reader returns curves that keep their
// promises or throws a ConfigError; it never does anything else, and never takes much memory.
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/error.hpp"
#include "curves/tensorboard.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/curves/event_bytes.hpp"

namespace stcsim::test {

struct SampleFile {
  std::string format;
  std::string bytes;
};

namespace {

/// As csv.DictWriter and other loggers write it: CR LF, blank what a row has not.
constexpr const char* kSteps =
    "epoch,step,train_loss,val_acc,val_loss\r\n0,49,2.302585,,\r\n0,99,1.75,,\r\n"
    "0,99,,0.3125,1.8\r\n1,149,1.5,,\r\n1,199,,0.4375,nan\r\n2,249,1.25,,\r\n2,299,,0.5,1.4\r\n";

/// Two runs; values that a callback has not are NA.
constexpr const char* kTwoRuns =
    "epoch,accuracy,loss,val_accuracy,val_loss\r\n0,0.5,1.5,0.45,1.6\r\n1,0.6,1.25,NA,NA\r\n"
    "2,0.7,1.0,0.65,1.2\r\n0,0.4,1.75,0.35,1.9\r\n1,0.5,1.5,0.4,1.7\r\n";

constexpr const char* kJsonLines =
    "{\"epoch\": 1, \"acc\": 0.5, \"phase\": \"eval\"}\n{\"epoch\": 2, \"acc\": NaN}\n"
    "{\"epoch\": 3, \"acc\": 0.75}\n";

std::string tensorboard() {
  std::string bytes = version_record();
  for (std::uint64_t step = 0; step < 5; ++step) {
    bytes += scalar_record(step * 10, "loss", 2.0F - 0.25F * static_cast<float>(step));
    bytes += tensor_record(step, "epoch_accuracy", 0.125F * static_cast<float>(step));
  }
  return bytes + start_record(30) + scalar_record(30, "loss", 1);
}

}  // namespace

/// A file of each format, as its writer writes it.
std::vector<SampleFile> sample_files() {
  return {{"csv", read_file(STCSIM_SOURCE_DIR "/configs/curves/mlperf20_bert_run0.csv")},
          {"csv", kSteps},
          {"csv", kTwoRuns},
          {"json-lines", kJsonLines},
          {"tensorboard", tensorboard()}};
}

}  // namespace stcsim::test

namespace stcsim::curves {
namespace {

constexpr std::uint64_t kCases = 2000;
/// The sanitizers' own memory included, the whole test stays below this, in KiB.
constexpr std::int64_t kMostMemory = std::int64_t{1} << 20U;

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) {
  return count == 0 ? 0 : random() % count;
}

/// What breaks readers.
const std::vector<std::string> kTokens{"",
                                       "\"",
                                       "\"\"",
                                       ",",
                                       ";",
                                       "\t",
                                       "\n",
                                       "\r\n",
                                       std::string(1, 0),
                                       "nan",
                                       "NaN",
                                       "-inf",
                                       "1e999",
                                       "1e-999",
                                       "-1",
                                       "0",
                                       "99999999999",
                                       "NA",
                                       "null",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       ":",
                                       "\\",
                                       "\xFF\xFE",
                                       "\xC3",
                                       "epoch",
                                       ":::MLLOG",
                                       "step",
                                       "\"step\": ",
                                       "\"log_history\": ["};

/// One change of a few kinds.
void mutate(std::string& bytes, Random& random) {
  const std::size_t at = below(random, bytes.size() + 1);
  const std::size_t length = below(random, std::min<std::size_t>(64, bytes.size() - at) + 1);
  switch (random() % 7) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(random());
      break;
    case 1:
      if (at < bytes.size())
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << random() % 8));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, length));
      break;
    case 4:
      bytes.insert(at, kTokens[below(random, kTokens.size())]);
      break;
    case 5:
      bytes.resize(at);
      break;
    default:
      bytes.replace(at, length, bytes.substr(below(random, bytes.size()), length));
      break;
  }
}

void check_promises(const RunFile& file) {
  ASSERT_FALSE(file.runs.empty());
  ASSERT_LE(file.notes.size(), 101U);
  for (const Run& run : file.runs) {
    ASSERT_FALSE(run.curves.empty());
    for (const Curve& curve : run.curves) {
      ASSERT_FALSE(curve.points.empty());
      double before = -1;
      for (const Point& point : curve.points) {
        ASSERT_TRUE(std::isfinite(point.x) && std::isfinite(point.value));
        ASSERT_GT(point.x, before);
        before = point.x;
      }
    }
  }
}

class MutatedCurves : public ::testing::TestWithParam<std::size_t> {};

TEST_P(MutatedCurves, AreReadOrRefused) {
  const stcsim::test::SampleFile sample = stcsim::test::sample_files()[GetParam()];
  const std::uint64_t seed = stcsim::test::seed_or(1);
  std::size_t read = 0;
  for (std::uint64_t number = 0; number < kCases; ++number) {
    SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed + number));
    Random random(seed + number);
    std::string bytes = sample.bytes;
    for (std::uint64_t left = 1 + random() % 4; left > 0; --left) mutate(bytes, random);
    ReadOptions options;
    // Now and then, as another format than it looks like, or over another axis.
    if (random() % 4 == 0) options.format = static_cast<FileFormat>(random() % 3);
    if (random() % 4 == 0) options.axis = static_cast<Axis>(random() % 5);
    try {
      check_promises(read_runs(bytes, "file", options));
      ++read;
    } catch (const ConfigError& error) {
      ASSERT_NE(std::string(error.what()).find("error: "), std::string::npos);
    }
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_GT(read, 0U);
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, kMostMemory);
}

INSTANTIATE_TEST_SUITE_P(Formats, MutatedCurves, ::testing::Range<std::size_t>(0, 5),
                         [](const auto& instance) {
                           std::string name = stcsim::test::sample_files()[instance.param].format;
                           std::erase(name, '-');
                           return name + std::to_string(instance.param);
                         });

/// Behind a checksum that is right, which no change of a file leaves so.
TEST(MutatedCurvesEvents, AreReadOrRefused) {
  const std::string event = stcsim::test::tensor_record(3, "epoch_loss", 2).substr(12);
  const std::uint64_t seed = stcsim::test::seed_or(1);
  std::size_t read = 0;
  for (std::uint64_t number = 0; number < 10 * kCases; ++number) {
    SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed + number));
    Random random(seed + number);
    std::string bytes = event.substr(0, event.size() - 4);
    for (std::uint64_t left = 1 + random() % 4; left > 0; --left) mutate(bytes, random);
    if (const std::optional<Event> parsed = parse_event(bytes)) {
      ++read;
      ASSERT_LE(parsed->scalars.size(), bytes.size());
    }
  }
  EXPECT_GT(read, 0U);
}

/// Unchanged, each is read as what it is.
TEST(SampleFiles, AreKnownByTheirContent) {
  for (const stcsim::test::SampleFile& sample : stcsim::test::sample_files()) {
    const RunFile file = read_runs(sample.bytes, "file");
    check_promises(file);
    EXPECT_EQ(file.runs.front().format, sample.format);
  }
}

}  // namespace

}  // namespace stcsim::curves
