#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

/// What scripts/check_documents.sh says of a document: lines without the file's name.
class CheckedDocument : public testing::Test {
 protected:
  std::string problems_of(const std::string& text) {
    const std::string file = (directory_.path() / "page.md").string();
    write_text(file, text);
    const ProgramResult result =
        run_program("/bin/bash", {STCSIM_SOURCE_DIR "/scripts/check_documents.sh", file}, {});
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit_code, result.out.empty() ? 0 : 1);
    std::string problems = result.out;
    for (std::size_t at = problems.find(file); at != std::string::npos; at = problems.find(file)) {
      problems.erase(at, file.size() + 1);
    }
    return problems;
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(CheckedDocument, RowsHaveTheCellsOfTheHeading) {
  EXPECT_EQ(problems_of("| a | b |\n|---|---:|\n| 1 | 2 |\n| x \\| y | 3\n\n| c |\n|---|\n"), "");
  EXPECT_EQ(problems_of("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n"),
            "3: a row of 3 cells in a table of 2: | 1 | 2 | 3 |\n");
  EXPECT_EQ(problems_of("| a | b |\n|---|---|\n| 1 | 2 |\n| c |\n|---|\n| 3 |\n"),
            "4: a row of 1 cells in a table of 2: | c |\n"
            "5: a row of 1 cells in a table of 2: |---|\n"
            "6: a row of 1 cells in a table of 2: | 3 |\n");
}

TEST_F(CheckedDocument, RowsBelongToATable) {
  EXPECT_EQ(problems_of("| lost | row |\n# Title\n"), "1: a row of no table: | lost | row |\n");
  EXPECT_EQ(problems_of("| a | b |\n| 1 | 2 |\n"), "1: a row of no table: | a | b |\n");
  EXPECT_EQ(problems_of("```\n| a | b |\n```\n<!--\n| c |\n-->\n\n| d |\n|---|\n\n<!-- end -->\n"),
            "");
}

TEST_F(CheckedDocument, LinksLeadToFilesAndHeadings) {
  EXPECT_EQ(problems_of("# A `b`: c\n[x](#a-b-c) [y](#d)\n```\n[code](gone.md)\n```\n"
                        "[`z`](gone.md) [there](page.md#a-b-c) [w](https://example.org)\n"),
            "2: no such heading: #d\n"
            "6: no such file: gone.md\n");
}

TEST_F(CheckedDocument, ResultsStandInBlocksThatCommandsPrint) {
  EXPECT_EQ(problems_of("It gains\n1.27x on a GPU; 2:4 of 3 × 4 is no result.\n"),
            "2: a result typed by hand: 1.27x\n");
  EXPECT_EQ(
      problems_of("- a step takes 86.8 ms\n\n| a |\n|---|\n| 5 % |\n\n27 % less, 1,024 cycles\n"),
      "1: a result typed by hand: 86.8 ms\n"
      "5: a result typed by hand: 5 %\n"
      "7: a result typed by hand: 27 %\n");
  EXPECT_EQ(problems_of("```text\n2:4 takes 62.7 us\n```\n"),
            "2: a result typed by hand: 62.7 us\n");
  EXPECT_EQ(problems_of("<!-- $ stcsim gemm | head -n 1 -->\n```text\n2:4 takes 62.7 us\n```\n"
                        "<!-- end -->\n"),
            "");
}

TEST_F(CheckedDocument, SettingsAndCitedFiguresAreFree) {
  EXPECT_EQ(problems_of("A test allows `2 %`, `1.5x`\nor `20 us`.\n"), "");
  EXPECT_EQ(problems_of("```yaml\nshare: 5 %\n```\n"), "");
  EXPECT_EQ(problems_of("Hubara et al. (2021) find 90 % faster. They published 1.5x.\n"), "");
  EXPECT_EQ(problems_of("They published 1.5x. Ours is 1.4x.\n"),
            "1: a result typed by hand: 1.4x\n");
}

}  // namespace
}  // namespace stcsim
