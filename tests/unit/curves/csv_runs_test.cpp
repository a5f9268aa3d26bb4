
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curves/read_runs.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim::curves {
namespace {

using stcsim::test::message_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunFile read(const std::string& text, const ReadOptions& options = {}) {
  return read_csv_runs(text, "r.csv", options);
}

std::vector<std::string> notes_of(const RunFile& file) {
  std::vector<std::string> notes;
  for (const Note& note : file.notes) notes.push_back(note.where.to_string() + ": " + note.text);
  return notes;
}

std::string error_of(const std::string& text, const ReadOptions& options = {}) {
  return message_of<ConfigError>([&] { static_cast<void>(read(text, options)); });
}

using Points = std::vector<Point>;
const std::string kFromZero =
    "r.csv: epochs are counted from 0: epoch n is taken as n + 1 epochs trained";

const std::string kRealFiles = STCSIM_SOURCE_DIR "/tests/data/curves/";

/// Files that the programs themselves wrote; tests/data/curves/README.md says where they are from.
TEST(RealFiles, AreRecognisedAndRead) {
  const auto curve = [](const std::string& file, const std::string& metric) {
    return read_runs(kRealFiles + file).runs.at(0).find(metric)->points;
  };
  EXPECT_EQ(curve("keras_csvlogger.csv", "val_accuracy"), (Points{{1, 0.9679},
                                                                  {2, 0.9768},
                                                                  {3, 0.9788},
                                                                  {4, 0.9781},
                                                                  {5, 0.978},
                                                                  {6, 0.9771},
                                                                  {7, 0.9803},
                                                                  {8, 0.9802}}));
  EXPECT_EQ(curve("timm_summary.csv", "eval_top1"),
            (Points{{1, 78.36}, {2, 81.39}, {3, 82.71}, {4, 84.76}, {5, 86.0}}));
  // What was validated after training counts as an epoch of its own, as the file says.
  EXPECT_EQ(curve("lightning_metrics.csv", "val_accuracy"), (Points{{1, 0.9761999845504761},
                                                                    {2, 0.9847999811172485},
                                                                    {3, 0.98580002784729},
                                                                    {4, 0.9847999811172485},
                                                                    {5, 0.9868000149726868},
                                                                    {6, 0.996399998664856}}));
  EXPECT_EQ(curve("lightning_metrics.csv", "train_loss").size(), 5U);
  EXPECT_EQ(read_runs(kRealFiles + "wandb_chart.csv").runs.at(0).curves.size(), 9U);
}

TEST(CsvRuns, AColumnOfEpochsAndAMetric) {
  const RunFile file = read("epoch,accuracy\n1,0.5\n2,0.75\n");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].name, "r.csv");
  EXPECT_EQ(file.runs[0].format, "csv");
  ASSERT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_EQ(file.runs[0].curves[0].metric, "accuracy");
  EXPECT_EQ(file.runs[0].curves[0].axis, Axis::epochs);
  EXPECT_EQ(file.runs[0].curves[0].points, (Points{{1, 0.5}, {2, 0.75}}));
  EXPECT_THAT(notes_of(file), IsEmpty());
}

TEST(CsvRuns, EpochsFromZeroAreOneMoreWhenMeasured) {
  const RunFile file = read("epoch,accuracy\n0,0.5\n1,0.75\n");
  EXPECT_EQ(file.runs[0].curves[0].points, (Points{{1, 0.5}, {2, 0.75}}));
  EXPECT_THAT(notes_of(file), ElementsAre(kFromZero));
}

TEST(CsvRuns, FractionsOfEpochsAndStepsStayAsTheyAre) {
  EXPECT_EQ(read("epoch,a\n0,1\n0.5,2\n").runs[0].curves[0].points, (Points{{0, 1}, {0.5, 2}}));
  EXPECT_EQ(read("step,a\n0,1\n10,2\n").runs[0].curves[0].points, (Points{{0, 1}, {10, 2}}));
}

TEST(CsvRuns, TheAxisIsTheFirstOfEpochsStepsSamplesHoursSeconds) {
  const std::string text = "hours,a,step\n2,5,100\n";
  EXPECT_EQ(read(text).runs[0].curves[0].axis, Axis::steps);
  const RunFile over = read(text, {.format = {}, .axis = Axis::hours});
  EXPECT_EQ(over.runs[0].curves.size(), 1U);
  EXPECT_EQ(over.runs[0].curves[0].points, (Points{{2, 5}}));
}

TEST(CsvRuns, SemicolonsAndTabs) {
  EXPECT_EQ(read("# a, b, c\n\nepoch;a\n1;2.5\n").runs[0].curves[0].points, (Points{{1, 2.5}}));
  EXPECT_EQ(read("epoch;a\n1;2.5\n").runs[0].curves[0].points, (Points{{1, 2.5}}));
  EXPECT_EQ(read("epoch\ta\n1\t2.5\n").runs[0].curves[0].points, (Points{{1, 2.5}}));
}

/// Blank cells are no values: the metrics of training and of validation stand on different rows.
TEST(CsvRuns, LightningHasTheLastValueOfEachEpoch) {
  const RunFile file = read(
      "epoch,step,train_loss,val_acc\n0,49,2.0,\n0,99,1.5,\n0,99,,0.25\n1,149,1.0,\n1,199,,0.5\n");
  EXPECT_EQ(file.runs[0].find("train_loss")->points, (Points{{1, 1.5}, {2, 1.0}}));
  EXPECT_EQ(file.runs[0].find("val_acc")->points, (Points{{1, 0.25}, {2, 0.5}}));
  EXPECT_THAT(notes_of(file), ElementsAre(kFromZero));
}

/// As it is in 192cm/Retail-Store-Inventory-and-Demand-Forecasting-Using-TFT @f1cabe2 and
/// Jordi6/pytorchLit15min @b7ad979: a learning rate without an epoch, and an older version's order.
TEST(CsvRuns, LightningAsFoundInTheWild) {
  const RunFile file = read(
      "epoch,lr-Adam,step,train_loss_step\n,0.03,0,\n0,,49,0.1690923571586609\n"
      "0,,99,0.16547414660453796\n");
  ASSERT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_EQ(file.runs[0].find("train_loss_step")->points, (Points{{1, 0.16547414660453796}}));
  EXPECT_THAT(notes_of(file), ElementsAre("r.csv:2:1: 'epoch' is blank here; left out", kFromZero));
  const RunFile older =
      read("train_loss,step,epoch\r\n0.06728213280439377,49,0\r\n0.038861844688653946,99,0\r\n",
           {.format = {}, .axis = Axis::steps});
  EXPECT_EQ(older.runs[0].curves[0].points,
            (Points{{49, 0.06728213280439377}, {99, 0.038861844688653946}}));
}

/// Epochs that begin anew are another run.
TEST(CsvRuns, KerasAppendsARun) {
  const RunFile file = read(
      "epoch,accuracy,loss,val_accuracy\n0,0.5,1,0.25\n1,0.75,NA,0.5\n0,0.5,2,0.125\n1,0.5,1,1\n");
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_EQ(file.runs[0].find("loss")->points, (Points{{1, 1}}));
  EXPECT_EQ(file.runs[1].name, "r.csv#2");
  EXPECT_EQ(file.runs[1].find("val_accuracy")->points, (Points{{1, 0.125}, {2, 1}}));
  EXPECT_THAT(notes_of(file),
              ElementsAre(kFromZero, "r.csv:4: epochs begin anew here: taken as another run"));
}

/// Epochs that fall less far are a run that was resumed: its last values count.
TEST(CsvRuns, TimmResumesWithAHeaderInTheMiddle) {
  const RunFile file = read(
      "epoch,train_loss,eval_top1\n0,3,10\n1,2,20\n2,1,25\nepoch,train_loss,eval_top1,lr\n"
      "2,1,30,0.1\n3,0.5,40,0.1\n");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].find("eval_top1")->points, (Points{{1, 10}, {2, 20}, {3, 30}, {4, 40}}));
  EXPECT_EQ(file.runs[0].find("lr")->points, (Points{{3, 0.1}, {4, 0.1}}));
  EXPECT_THAT(notes_of(file),
              ElementsAre("r.csv:5:1: the header is here again (a resumed run?)", kFromZero,
                          "r.csv:6: eval_top1: measured again at one point from here on (a resumed "
                          "run?); the last value counts"));
}

TEST(CsvRuns, RowsInNoOrderAreSorted) {
  const RunFile file = read("epoch,a\n3,30\n2,20\n1,10\n");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].curves[0].points, (Points{{1, 10}, {2, 20}, {3, 30}}));
}

TEST(CsvRuns, NaNsAreLeftOutAndTold) {
  const RunFile file = read("epoch,a,b\n1,nan,1\n2,-inf,2\n3,5,NaN\n");
  EXPECT_EQ(file.runs[0].find("a")->points, (Points{{3, 5}}));
  EXPECT_EQ(file.runs[0].find("b")->points, (Points{{1, 1}, {2, 2}}));
  EXPECT_THAT(notes_of(file), ElementsAre("r.csv:2: a: 2 values that are NaN or infinite; left out",
                                          "r.csv:4: b: a value that is NaN or infinite; left out"));
}

TEST(CsvRuns, BadLinesAreLeftOutAndTold) {
  const RunFile file = read("epoch,a\n1,1\n2\nthree,3\n,4\n\"4\"x,5\n-1,2\n5,five\n6,6\n");
  EXPECT_EQ(file.runs[0].find("a")->points, (Points{{1, 1}, {6, 6}}));
  EXPECT_THAT(
      notes_of(file),
      ElementsAre("r.csv:3:1: the row has 1 fields, must have 2 like the header; left out",
                  "r.csv:4:1: 'epoch' is 'three', must be a number from 0; left out",
                  "r.csv:6:1: text after a closing quote, must be a comma or the line's end; left "
                  "out",
                  "r.csv:7:1: 'epoch' is '-1', must be a number from 0; left out",
                  "r.csv:8:3: column 'a': this value is no number; left out",
                  "r.csv:5:1: 'epoch' is blank here; left out"));
}

/// Blanks stand for what a terminal would obey: ESC and U+009B.
TEST(CsvRuns, NotesRepeatNothingThatATerminalObeys) {
  const std::string text = "epoch,a\n1,0.5\n\x1b[31mred,0.6\n2\xc2\x9b,0.7\n3,0.8\n";
  EXPECT_THAT(notes_of(read_runs(text, "r.csv", {})),
              ElementsAre("r.csv:3:1: 'epoch' is ' [31mred', must be a number from 0; left out",
                          "r.csv:4:1: 'epoch' is '2 ', must be a number from 0; left out"));
}

TEST(CsvRuns, AnUnfinishedLastLine) {
  EXPECT_THAT(notes_of(read("epoch,a\n1,0.5\n2,0.")),
              ElementsAre("r.csv:3:1: the last line does not end: its last value may be cut"));
  EXPECT_THAT(
      notes_of(read("epoch,a\n1,0.5\n2")),
      ElementsAre("r.csv:3:1: the row has 1 fields, must have 2 like the header; left out"));
}

TEST(CsvRuns, ColumnsOfTextAreNoMetrics) {
  const RunFile file = read("epoch,phase,a\n1,warm,1\n2,main,2\n");
  ASSERT_EQ(file.runs[0].curves.size(), 1U);
  EXPECT_THAT(notes_of(file), ElementsAre("r.csv:2:3: column 'phase' holds no numbers; left out"));
}

TEST(JsonLines, AreReadAsColumns) {
  const RunFile file = read_runs(
      "{\"epoch\": 1, \"acc\": 0.5, \"phase\": \"eval\", \"lr\": [1, 2]}\n\n"
      "{\"epoch\": 2, \"acc\": NaN}\n{\"epoch\": 3, \"acc\": 0.75}\n{\"epoch\": 4, \"ac",
      "log.jsonl");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs.front().format, "json-lines");
  EXPECT_EQ(file.runs.front().find("acc")->points, (Points{{1, 0.5}, {3, 0.75}}));
  EXPECT_EQ(file.runs.front().curves.size(), 1U);
}

TEST(JsonLines, NameTheLineThatIsNone) {
  const auto error = [](const std::string& text) {
    return message_of<ConfigError>([&] { static_cast<void>(read_runs(text, "log.jsonl")); });
  };
  EXPECT_EQ(error("{\"epoch\": 1, \"acc\": 1}\n{\"epoch\"\n{}\n"),
            "log.jsonl:2: error: the line is no JSON object, must be one like {\"epoch\": 1, "
            "\"acc\": 0.5}");
}

TEST(CsvRuns, SaysWhatIsMissing) {
  EXPECT_EQ(error_of(""), "r.csv:1:1: error: the file is empty, must have a header");
  EXPECT_EQ(error_of("a,b\n1,2\n"),
            "r.csv:1:1: error: no column says how much was trained, must be one of epoch, step, "
            "samples, hours and seconds; columns: a, b");
  EXPECT_EQ(error_of("epoch,step\n1,2\n"),
            "r.csv:1:1: error: no column holds a metric; columns: epoch, step");
  EXPECT_EQ(error_of("epoch,a\n1,2\n", {.format = {}, .axis = Axis::hours}),
            "r.csv:1:1: error: no column counts hours; columns: epoch, a");
  EXPECT_EQ(error_of("epoch,a,a\n1,2,3\n"), "r.csv:1:9: error: column 'a' is here a second time");
  EXPECT_EQ(error_of("epoch,a\n"), "r.csv: error: the file has no value of any metric");
  EXPECT_EQ(error_of("epoch,a\nx,1\n"),
            "r.csv:2:1: error: the file has no value of any metric: 'epoch' is 'x', must be a "
            "number from 0; left out");
}

TEST(CsvRuns, NotesAndRunsAreBounded) {
  std::string bad = "epoch,a\n1,1\n";
  std::string many = "epoch,a\n";
  for (int i = 0; i < 2000; ++i) {
    bad += "x,1\n";
    many += "1,1\n2,2\n3,3\n";
  }
  const RunFile file = read(bad);
  ASSERT_EQ(file.notes.size(), 101U);
  EXPECT_EQ(file.notes.back().text, "and 1900 more notes");
  for (int i = 0; i < 9000; ++i) bad += "x,1\n";
  EXPECT_EQ(
      error_of(bad),
      "r.csv:10003:1: error: more than 10000 lines cannot be used, this one because 'epoch' is "
      "'x', must be a number from 0");
  EXPECT_EQ(error_of(many),
            "r.csv:3002: error: more than 1000 runs in one file: epoch falls too often");
}

}  // namespace
}  // namespace stcsim::curves
