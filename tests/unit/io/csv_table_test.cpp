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

std::string table_error(const std::string& text) {
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

/// Too few fields, text behind a quote, a quote that is never closed.
TEST(CsvTable, MalformedRowsAreLeftOutWhereTheyAreAskedFor) {
  std::vector<ConfigError> bad_rows;
  const CsvTable table = CsvTable::parse("a,b\n1\n2,3\n\"4\"x,5\n6,7\n\"8,9\n", "t.csv", &bad_rows);
  EXPECT_EQ(texts_of(table), (Texts{{"2", "3"}, {"6", "7"}}));
  ASSERT_EQ(bad_rows.size(), 3U);
  EXPECT_STREQ(bad_rows[0].what(),
               "t.csv:2:1: error: the row has 1 fields, must have 2 like the header");
  EXPECT_STREQ(bad_rows[1].what(),
               "t.csv:4:4: error: text after a closing quote, must be a comma or the line's end");
  EXPECT_STREQ(bad_rows[2].what(), "t.csv:6:1: error: this quote is never closed");
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
  EXPECT_EQ(table_error(""), "t.csv:1:1: error: the table is empty, must have a header");
  EXPECT_EQ(table_error("a,b,a\n"), "t.csv:1:5: error: column 'a' is here a second time");
  EXPECT_EQ(table_error("a,b\n1,2\n1\n"),
            "t.csv:3:1: error: the row has 1 fields, must have 2 like the header");
  EXPECT_EQ(table_error("a,b\n1,\"2\n"), "t.csv:2:3: error: this quote is never closed");
  EXPECT_EQ(table_error("a\n\"1\"2\n"),
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

TEST(CsvTable, ChecksWhichColumnsThereAre) {
  const auto table_error = [](const std::string& header) {
    return test::message_of<ConfigError>([&] {
      CsvTable::parse(header + "\n", "t.csv").check_columns({"dense", "sparse"}, {"note"});
    });
  };
  EXPECT_NO_THROW(CsvTable::parse("sparse,dense\n", "t").check_columns({"dense", "sparse"}, {}));
  EXPECT_EQ(table_error("dense,note,spase"),
            "t.csv:1:12: error: unknown column 'spase'; did you mean 'sparse'?");
  EXPECT_EQ(table_error("dense,sparse,url"),
            "t.csv:1:14: error: unknown column 'url'; known columns: dense, sparse, note");
  EXPECT_EQ(table_error("note,dense"), "t.csv:1:1: error: the table has no column 'sparse'");
}

TEST(CsvTable, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(table_error("a,b\n1,caf\xE9\n"),
            "t.csv:2:6: error: byte 0xe9 is not UTF-8 (is the text Latin-1?), must be text in "
            "UTF-8");
  EXPECT_EQ(table_error("\xFF\xFEx"), "t.csv:1:1: error: the text is UTF-16, must be UTF-8");
  EXPECT_EQ(table_error(std::string("a\0,\0", 4)),
            "t.csv:1:2: error: byte 0x00 is not text (is it UTF-16?), must be text in UTF-8");
}

TEST(CsvTable, HasLimits) {
  std::string wide;
  for (int at = 0; at < 10'000; ++at) wide += "c" + std::to_string(at) + ",";
  EXPECT_EQ(table_error(wide + "more"), "t.csv:1:58891: error: a row has more than 10000 fields");
  wide.pop_back();
  EXPECT_EQ(table_error(wide), "");
  std::string tall = "a\n";
  for (int at = 0; at < 1'000'000; ++at) tall += "1\n";
  EXPECT_EQ(table_error(tall), "");
  EXPECT_EQ(table_error(tall + "1\n"),
            "t.csv:1000002:1: error: the table has more than 1000000 rows");
}

TEST(CsvTable, AFileThatCannotBeReadIsAnError) {
  const auto table_error = [](const char* path) {
    return test::message_of<ConfigError>([&] { (void)CsvTable::read(path); });
  };
  EXPECT_EQ(table_error("/nowhere/t.csv"),
            "error: table '/nowhere/t.csv' does not exist, must be the path of a CSV file");
  EXPECT_EQ(table_error("/"), "error: table '/' is a directory, must be the path of a CSV file");
}

}  // namespace
}  // namespace stcsim
