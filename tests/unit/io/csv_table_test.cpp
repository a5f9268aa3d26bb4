#include "common/io/csv_table.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

std::vector<std::vector<std::string>> texts_of(const CsvTable& table) {
  std::vector<std::vector<std::string>> texts;
  for (const CsvTable::Row& row : table.rows()) {
    texts.emplace_back();
    for (const CsvField& field : row) texts.back().push_back(field.text);
  }
  return texts;
}

std::string error_of(const std::string& text) {
  try {
    (void)CsvTable::parse(text, "t.csv");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

using Texts = std::vector<std::vector<std::string>>;

TEST(CsvTable, ReadsFieldsInTheOrderOfTheHeader) {
  const CsvTable table = CsvTable::parse("a,b\n1,2\n3,4\n", "t.csv");
  EXPECT_EQ(texts_of(table), (Texts{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(table.column("b"), 1U);
  EXPECT_EQ(table.find_column("c"), std::nullopt);
}

TEST(CsvTable, QuotedFieldsKeepCommasQuotesBlanksAndLineBreaks) {
  const CsvTable table = CsvTable::parse("a,b\n\" x, \"\"y\"\"\n\",z\n", "t.csv");
  EXPECT_EQ(texts_of(table), (Texts{{" x, \"y\"\n", "z"}}));
}

TEST(CsvTable, DropsBlanksAroundPlainFields) {
  EXPECT_EQ(texts_of(CsvTable::parse("a,b\n  1\t, 2 3 \n", "t.csv")), (Texts{{"1", "2 3"}}));
}

TEST(CsvTable, SkipsEmptyLinesAndComments) {
  const CsvTable table = CsvTable::parse("# what\n\na\n \n# more, \"\n1\n\n", "t.csv");
  EXPECT_EQ(texts_of(table), (Texts{{"1"}}));
}

TEST(CsvTable, UnderstandsCarriageReturnsAndAMissingLastLineBreak) {
  EXPECT_EQ(texts_of(CsvTable::parse("a,b\r\n\"1\",2\r\n3,", "t.csv")),
            (Texts{{"1", "2"}, {"3", ""}}));
}

TEST(CsvTable, KnowsWhereAFieldStands) {
  const CsvTable table = CsvTable::parse("a,b\n\"1\n1\", 2\n3,4\n", "t.csv");
  EXPECT_EQ(table.rows()[0][0].where.to_string(), "t.csv:2:1");
  EXPECT_EQ(table.rows()[0][1].where.to_string(), "t.csv:3:5");
  EXPECT_EQ(table.rows()[1][1].where.to_string(), "t.csv:4:3");
}

TEST(CsvTable, RefusesWhatIsMalformed) {
  EXPECT_EQ(error_of(""), "t.csv:1:1: error: the table is empty, must have a header");
  EXPECT_EQ(error_of("a,b,a\n"), "t.csv:1:5: error: column 'a' is here a second time");
  EXPECT_EQ(error_of("a,b\n1,2\n1\n"),
            "t.csv:3:1: error: the row has 1 fields, must have 2 like the header");
  EXPECT_EQ(error_of("a,b\n1,\"2\n"), "t.csv:2:3: error: this quote is never closed");
  EXPECT_EQ(error_of("a\n\"1\"2\n"),
            "t.csv:2:4: error: text after a closing quote, must be a comma or the line's end");
}

TEST(CsvTable, NamesAColumnThatIsNotThere) {
  const CsvTable table = CsvTable::parse("a,b\n", "t.csv");
  try {
    (void)table.column("c");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "t.csv:1:1: error: the table has no column 'c'");
  }
}

TEST(CsvTable, AFileThatCannotBeReadIsAnError) {
  const auto error_of = [](const char* path) {
    return testing::message_of<ConfigError>([&] { (void)CsvTable::read(path); });
  };
  EXPECT_EQ(error_of("/nowhere/t.csv"),
            "error: table '/nowhere/t.csv' does not exist, must be the path of a CSV file");
  EXPECT_EQ(error_of("/"), "error: table '/' is a directory, must be the path of a CSV file");
}

}  // namespace
}  // namespace stcsim
