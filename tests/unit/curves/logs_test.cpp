// MLPerf's logs and Hugging Face's trainer_state.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curves/read_runs.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim::curves {
namespace {

using stcsim::test::message_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kData = STCSIM_SOURCE_DIR "/tests/data/curves/";

std::vector<std::string> notes_in(const RunFile& file) {
  std::vector<std::string> notes;
  for (const Note& note : file.notes) notes.push_back(note.where.to_string() + ": " + note.text);
  return notes;
}

using Points = std::vector<Point>;

std::string line(const std::string& key, const std::string& value, const std::string& metadata,
                 int time_ms = 0) {
  return "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(time_ms) +
         ", \"event_type\": \"POINT_IN_TIME\", \"key\": \"" + key + "\", \"value\": " + value +
         ", \"metadata\": {" + metadata + "}}\n";
}

RunFile read_log(const std::string& text, const ReadOptions& options = {}) {
  return read_runs(text, "run.log", options);
}

TEST(Mllog, OfResNet50CountsEpochs) {
  const RunFile file = read_runs(kData + "mllog_resnet50.txt");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].format, "mllog");
  ASSERT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_EQ(file.runs[0].curves[0].metric, "eval_accuracy");
  EXPECT_EQ(file.runs[0].curves[0].axis, Axis::epochs);
  EXPECT_EQ(file.runs[0].curves[0].points, (Points{{27, 0.73116}, {31, 0.75108}, {35, 0.7606}}));
  EXPECT_THAT(file.notes, IsEmpty());
}

TEST(Mllog, OfBertCountsSamples) {
  const RunFile file = read_runs(kData + "mllog_bert.txt");
  ASSERT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_EQ(file.runs[0].curves[0].axis, Axis::samples);
  EXPECT_EQ(file.runs[0].curves[0].points, (Points{{2568160, 0.719355046749115},
                                                   {2719072, 0.7196118831634521},
                                                   {2869984, 0.7201256155967712}}));
  EXPECT_EQ(file.runs[0].batch, 448);
}

/// Ranks write lines again; a second run begins at the next run_start.
TEST(Mllog, RunsBehindEachOther) {
  const std::string start = line("run_start", "null", "", 1000);
  const std::string first = line("eval_accuracy", "0.5", "\"epoch_num\": 1", 3500);
  const std::string stop = line("run_stop", "null", "\"status\": \"success\"");
  const std::string second = line("eval_accuracy", "0.25", "\"epoch_num\": 1", 4000);
  const std::string text = start + start + first + first + stop + "noise\n" + start + second;
  const RunFile file = read_log(text);
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_EQ(file.runs[0].find("eval_accuracy")->points, (Points{{1, 0.5}}));
  EXPECT_EQ(file.runs[1].name, "run.log#2");
  EXPECT_THAT(notes_in(file),
              ElementsAre("run.log:7: a run without an end (run_stop): killed, or still going"));
  const RunFile seconds = read_log(text, {.format = {}, .axis = Axis::seconds});
  EXPECT_EQ(seconds.runs[0].find("eval_accuracy")->points, (Points{{2.5, 0.5}}));
  EXPECT_EQ(seconds.runs[1].find("eval_accuracy")->points, (Points{{3, 0.25}}));
}

/// A run that stopped before its first value is over: the next one starts anew.
TEST(Mllog, ARunWithoutValuesLendsItsStartToNoOther) {
  const std::string text = line("run_start", "null", "", 1000) +
                           line("run_stop", "null", "\"status\": \"aborted\"", 2000) +
                           line("run_start", "null", "", 5000) +
                           line("eval_accuracy", "0.5", "\"epoch_num\": 1", 7500) +
                           line("run_stop", "null", "\"status\": \"success\"", 8000);
  const RunFile seconds = read_log(text, {.format = {}, .axis = Axis::seconds});
  ASSERT_EQ(seconds.runs.size(), 1U);
  EXPECT_EQ(seconds.runs[0].find("eval_accuracy")->points, (Points{{2.5, 0.5}}));
  EXPECT_THAT(seconds.notes, IsEmpty());
}

TEST(Mllog, AbortedAndCut) {
  const RunFile file = read_log(
      line("run_start", "null", "") + line("eval_accuracy", "0.5", "\"samples_count\": 100") +
      ":::MLLOG {\"key\": 5\n" + line("run_stop", "null", "\"status\": \"aborted\"") +
      ":::MLLOG {\"namespace\": \"\", \"ti");
  EXPECT_EQ(file.runs[0].find("eval_accuracy")->axis, Axis::samples);
  EXPECT_THAT(notes_in(file), ElementsAre("run.log:3: no JSON object behind :::MLLOG; left out",
                                          "run.log:5: the last line is cut; left out",
                                          "run.log:1: a run that ended 'aborted'"));
}

TEST(Mllog, SaysWhatIsMissing) {
  EXPECT_EQ(message_of<ConfigError>([] { static_cast<void>(read_log(":::MLLOG {}\n")); }),
            "run.log: error: no line has a value and how much was trained (epoch_num, "
            "samples_count or step_num)");
  EXPECT_EQ(message_of<ConfigError>(
                [] { static_cast<void>(read_log(":::MLPv0.5.0 resnet 1537374124.5 (f:1) a\n")); }),
            "run.log: error: a log of MLPerf v0.5 or v0.6 (:::MLPv0...), must be one of a later "
            "version (:::MLLOG)");
}

TEST(TrainerState, OfARealRun) {
  const RunFile file = read_runs(kData + "trainer_state.json");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].format, "trainer-state");
  EXPECT_EQ(file.runs[0].find("loss")->points, (Points{{120, 0.4132}, {240, 0.3674}}));
  EXPECT_EQ(
      file.runs[0].find("eval_loss")->points,
      (Points{{125, 0.3951033353805542}, {250, 0.4154859483242035}, {375, 0.3891691565513611}}));
  EXPECT_EQ(file.runs[0].find("eval_loss")->axis, Axis::steps);
  EXPECT_EQ(file.runs[0].find("eval_runtime"), nullptr);
  EXPECT_EQ(file.runs[0].find("total_flos"), nullptr);
  EXPECT_THAT(file.notes, IsEmpty());
  const RunFile epochs =
      read_runs(kData + "trainer_state.json", {.format = {}, .axis = Axis::epochs});
  EXPECT_EQ(epochs.runs[0].find("loss")->points, (Points{{0.96, 0.4132}, {1.92, 0.3674}}));
}

TEST(TrainerState, PythonWritesNaNAndInfinity) {
  EXPECT_EQ(without_bare_nan("[NaN, \"NaN \\\" Infinity\", -Infinity,Infinity, -1]"),
            "[\"\" , \"NaN \\\" Infinity\", \"-inf\"   ,\"inf\"   , -1]");
  const RunFile file = read_runs(
      "{\"log_history\": [{\"loss\": NaN, \"step\": 1}, {\"loss\": Infinity, \"step\": 2},\n"
      "{\"loss\": 2, \"step\": 3}, {\"loss\": 1}]}",
      "s.json");
  EXPECT_EQ(file.runs[0].find("loss")->points, (Points{{3, 2}}));
  EXPECT_THAT(notes_in(file),
              ElementsAre("s.json: 1 of 4 entries without a step; left out",
                          "s.json: loss: 2 values that are NaN or infinite; left out"));
}

/// What lies deeper, or in other arrays, is none of the history.
TEST(TrainerState, OnlyTheHistorysOwnEntries) {
  const RunFile file = read_runs(
      "{\"other\": {\"log_history\": [{\"a\": 1, \"step\": 1}]}, \"log_history\": [{\"b\": 2, "
      "\"deep\": {\"c\": 3}, \"list\": [4], \"step\": 1}], \"more\": [{\"d\": 5, \"step\": 1}]}",
      "s.json");
  ASSERT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_EQ(file.runs[0].curves[0].metric, "b");
}

TEST(TrainerState, AnEntryIsBounded) {
  std::string text = "{\"log_history\": [{\"step\": 1";
  for (int i = 0; i < 10'000; ++i) text += ", \"m" + std::to_string(i) + "\": 1";
  EXPECT_EQ(message_of<ConfigError>([&] { static_cast<void>(read_runs(text + "}]}", "s.json")); }),
            "s.json: error: an entry of 'log_history' has more than 10000 values");
}

TEST(TrainerState, SaysWhatIsWrong) {
  const auto error = [](const std::string& text) {
    return message_of<ConfigError>([&] { static_cast<void>(read_runs(text, "s.json")); });
  };
  EXPECT_EQ(error("{\"log_history\": [{\"loss\": 1,\n"),
            "s.json:2:1: error: the JSON text ends too early, so the file was cut");
  EXPECT_EQ(error("{\"log_history\": [\n{\"loss\": }]}"), "s.json:2:10: error: malformed JSON");
  EXPECT_EQ(error("{\"a\": 1}"),
            "s.json: error: 'log_history' is missing, must be there as in a trainer_state.json");
  EXPECT_EQ(error("{\"log_history\": []}"),
            "s.json: error: 'log_history' has no value of any metric");
}

}  // namespace
}  // namespace stcsim::curves
