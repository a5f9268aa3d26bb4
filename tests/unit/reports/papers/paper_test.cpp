// Folders of papers: what they say, and what is refused where.
#include "reports/papers/paper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPaperText = R"(title: A paper
source: Somebody, 2025
about: It claims things.
result: "Counting gives {one.1.counted}"
columns:
  - {name: counted, machine: ideal, framework: ideal, assumed: true}
  - {name: A100, machine: a100, framework: pytorch_eager}
figures: [one]
)";

constexpr const char* kFigureText = R"(title: "Fig. 1: gains"
shows: Gains.
obtained: measured
tolerance: 0.05
fitted: to these
not_obtained: ["not obtained: the others"]
rows:
  - {says: saved, published: [15, 25], step: {network: resnet18, scheme: sdgp, quantity: step_saved}}
  - {says: bytes, published: 56.25, obtained: counted, tolerance: 0.001, mask: {method: magnitude, pattern: "2:4", quantity: retained}}
  - {says: accuracy, not_compared: nobody trains it here}
)";

class PaperFolder {
 public:
  PaperFolder() {
    folder_.write("p/paper.yaml", kPaperText);
    folder_.write("p/one.yaml", kFigureText);
  }
  void paper(const std::string& from, const std::string& to) const {
    folder_.write("p/paper.yaml", replaced(kPaperText, from, to));
  }
  void figure(const std::string& from, const std::string& to) const {
    folder_.write("p/one.yaml", replaced(kFigureText, from, to));
  }
  [[nodiscard]] std::string path() const { return folder_.at("p"); }
  [[nodiscard]] std::string error() const {
    return error_of([&] { static_cast<void>(load_paper(path())); });
  }

 private:
  ScratchFolder folder_;
};

TEST(PaperFileTest, IsReadWithItsDefaults) {
  const PaperFolder folder;
  const Paper paper = load_paper(folder.path());
  EXPECT_EQ(paper.name, "p");
  ASSERT_EQ(paper.figures.size(), 1U);
  const PaperFigure& figure = paper.figures.front();
  EXPECT_EQ(figure.name, "one");
  EXPECT_EQ(figure.source, "Somebody, 2025");
  ASSERT_EQ(figure.columns.size(), 2U);
  EXPECT_TRUE(figure.columns.front().assumed);
  EXPECT_EQ(figure.columns.back().where(), "a100 with pytorch_eager, cuda12_rule")
      << "the framework names the software";
  ASSERT_EQ(figure.rows.size(), 3U);
  EXPECT_EQ(figure.rows[0].obtained, "measured");
  EXPECT_DOUBLE_EQ(figure.rows[0].tolerance, 0.05);
  EXPECT_DOUBLE_EQ(figure.rows[0].published->most, 25);
  EXPECT_EQ(figure.rows[0].fitted, "to these");
  EXPECT_EQ(figure.rows[1].obtained, "counted");
  EXPECT_DOUBLE_EQ(figure.rows[1].tolerance, 0.001);
  EXPECT_EQ(published_text(figure.rows[0]), "15.0 % to 25.0 %");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(figure.rows[2].experiment));
}

TEST(PaperFileTest, AColumnMayNameItsSoftware) {
  const PaperFolder folder;
  folder.paper("machine: a100, framework: pytorch_eager",
               "machine: a100, framework: pytorch_eager, stack: slides_2020");
  EXPECT_EQ(load_paper(folder.path()).figures.front().columns.back().where(),
            "a100 with pytorch_eager, slides_2020");
  folder.paper("machine: a100, framework: pytorch_eager",
               "machine: a100, framework: pytorch_eager, stack: cuda12");
  EXPECT_THAT(folder.error(),
              HasSubstr("paper.yaml:7:66: error: a100 has no stack 'cuda12', must be one of "));
}

/// A machine that nobody has built chooses from all kernels; a built one beside it does so, too.
TEST(PaperFileTest, BuiltMachinesBesideHypotheticalOnesAlsoRunAllKernels) {
  const PaperFolder folder;
  folder.paper("figures: [one]",
               "  - {name: N:M, machine: a100_nm, framework: pytorch_eager}\nfigures: [one]");
  const Paper paper = load_paper(folder.path());
  const std::vector<PaperColumn>& columns = paper.figures.front().columns;
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[1].where(), "a100 with pytorch_eager, cuda12_rule");
  EXPECT_EQ(columns[2].name, "A100, best of all kernels");
  EXPECT_EQ(columns[2].where(), "a100 with pytorch_eager, best");
  EXPECT_EQ(columns[3].where(), "a100_nm with pytorch_eager, best");
  std::vector<bool> beside;
  for (const PaperColumn& column : columns) beside.push_back(column.is_beside);
  EXPECT_EQ(beside, (std::vector<bool>{false, false, true, false}));
}

TEST(PaperFileTest, ARowOfEachLayerIsNamedAfterIt) {
  const PaperFolder folder;
  folder.figure("{says: accuracy, not_compared: nobody trains it here}",
                "{says: dense, step: {network: resnet9_cifar10, quantity: gemm_ms, each: layer}}");
  const Paper paper = load_paper(folder.path());
  ASSERT_EQ(paper.figures.front().rows.size(), 2U + 9 * 3 - 1);
  EXPECT_EQ(paper.figures.front().rows[2].says, "conv1 forward");
  EXPECT_EQ(paper.figures.front().rows[2].setting, "dense");
}

TEST(PaperFileTest, RefusesWhatItCannotMeanWhereItStands) {
  const auto refused = [](const std::string& from, const std::string& to) {
    const PaperFolder folder;
    folder.figure(from, to);
    return folder.error();
  };
  EXPECT_THAT(refused("[15, 25]", "[25, 15]"),
              HasSubstr("one.yaml:8:30: error: the second number"));
  EXPECT_THAT(refused("[15, 25]", "[15]"), HasSubstr("must be a number or [least, most]"));
  EXPECT_THAT(refused("[15, 25]", "many"), HasSubstr("must be a number or [least, most]"));
  EXPECT_THAT(refused("not_compared: nobody trains it here", "note: nothing"),
              HasSubstr("one.yaml:10:12: error: this row must have one of step, gemm, "
                        "training, mask, estimate, trained"));
  EXPECT_THAT(refused("{says: bytes,", "{says: bytes, not_compared: why,"),
              HasSubstr("or not_compared"));
  EXPECT_THAT(refused("obtained: counted", "obtained: guessed"), HasSubstr("'guessed'"));
  EXPECT_THAT(refused("shows: Gains.", "show: Gains."), HasSubstr("did you mean 'shows'"));
}

/// The table of measurements knows the figure, and whether machines were fitted to it.
TEST(PaperFileTest, AGainMayStandAmongTheMeasurements) {
  const PaperFolder folder;
  const std::string gemm =
      "{says: x, published: {source: NVIDIA GTC 2020}, gemm: {m: 1024, n: 8192, ";
  const std::string not_compared = "{says: accuracy, not_compared: nobody trains it here}";
  folder.figure(not_compared, gemm + "k: 1024, pattern: \"2:4\", quantity: gain}}");
  const PaperRow row = load_paper(folder.path()).figures.front().rows[2];
  EXPECT_DOUBLE_EQ(row.published.value().least, 1.44);
  EXPECT_DOUBLE_EQ(row.published->most, 1.44);
  EXPECT_EQ(row.fitted, "looked at when the machine's kernels were set");
  folder.figure(not_compared, gemm + "k: 1025, pattern: \"2:4\", quantity: gain}}");
  EXPECT_THAT(folder.error(), HasSubstr("gemm.csv has no such GEMM of 'NVIDIA GTC 2020'"));
  folder.figure(not_compared, gemm + "k: 1024, pattern: \"2:4\", quantity: us}}");
  EXPECT_THAT(folder.error(), HasSubstr("only a gain of a 'gemm' has its 'published' from"));
}

TEST(PaperFileTest, RefusesColumnsAndFiguresThatAreNone) {
  const auto refused = [](const std::string& from, const std::string& to) {
    const PaperFolder folder;
    folder.paper(from, to);
    return folder.error();
  };
  EXPECT_THAT(refused("name: A100,", "name: counted,"),
              HasSubstr("'counted' is in 'columns' twice"));
  EXPECT_THAT(refused("machine: a100,", "machine: a101,"), HasSubstr("a101"));
  EXPECT_THAT(refused("figures: [one]", "figures: [two]"), HasSubstr("two.yaml"));
}

TEST(PaperFileTest, SaysWhichPapersThereAre) {
  const auto error = [](const std::string& name) {
    return error_of([&] { static_cast<void>(load_paper(name)); });
  };
  EXPECT_EQ(error("sdpg"), "error: no paper 'sdpg'; did you mean 'sdgp'?");
  EXPECT_THAT(error("nonsense"), HasSubstr("no paper 'nonsense'; shipped are mvue, nm_hardware, "));
  const ScratchFolder empty;
  EXPECT_THAT(error(empty.path().string()), HasSubstr("there is no paper.yaml in it"));
}

}  // namespace
}  // namespace stcsim
