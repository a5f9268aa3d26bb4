#include "common/error.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(SourceLocation, PrintsWhatIsKnown) {
  EXPECT_EQ((SourceLocation{"a.yaml", 12, 9}.to_string()), "a.yaml:12:9");
  EXPECT_EQ((SourceLocation{"a.yaml", 12, 0}.to_string()), "a.yaml:12");
  EXPECT_EQ((SourceLocation{"a.yaml", 0, 0}.to_string()), "a.yaml");
  EXPECT_EQ((SourceLocation{"a.yaml", 0, 9}.to_string()), "a.yaml");
}

/// No file has a path of more than 4095 bytes.
TEST(SourceLocation, CutsWhatIsNoPathOfAFile) {
  const std::string path(4095, 'p');
  EXPECT_EQ((SourceLocation{path, 3, 0}.to_string()), path + ":3");
  const std::string cut = SourceLocation{path + "p", 3, 0}.to_string();
  EXPECT_EQ(cut, excerpt(path + "p", 255) + ":3");
  EXPECT_LE(cut.size(), 257U);
}

TEST(ConfigError, SaysErrorOnce) {
  EXPECT_STREQ(ConfigError("no such machine").what(), "error: no such machine");
}

TEST(ConfigError, StartsWithThePlace) {
  EXPECT_STREQ(ConfigError({"a.yaml", 12, 9}, "unknown key").what(),
               "a.yaml:12:9: error: unknown key");
  EXPECT_STREQ(ConfigError({"a.yaml", 0, 0}, "is empty").what(), "a.yaml: error: is empty");
}

TEST(Excerpt, LeavesShortTextsAlone) {
  EXPECT_EQ(excerpt("", 80), "");
  EXPECT_EQ(excerpt(std::string(80, 'x'), 80), std::string(80, 'x'));
}

TEST(Excerpt, KeepsBeginningAndEnd) {
  const std::string text = std::string(100, 'a') + std::string(100, 'b');
  EXPECT_EQ(excerpt(text, 80), std::string(52, 'a') + "…" + std::string(25, 'b'));
}

TEST(Excerpt, CutsBetweenCharacters) {
  std::string text;
  for (int at = 0; at < 100; ++at) text += "é";
  const std::string cut = excerpt(text, 81);
  const std::size_t gap = cut.find("…");
  EXPECT_LE(cut.size(), 81U);
  EXPECT_EQ(gap % 2, 0U);
  EXPECT_EQ((cut.size() - gap - 3) % 2, 0U);
}

TEST(CutToRead, CutsWhatStandsInQuotes) {
  const std::string large(100'000, '7');
  EXPECT_EQ(cut_to_read("--m is '" + large + "', must be a number"),
            "--m is '" + excerpt(large, 80) + "', must be a number");
  EXPECT_EQ(cut_to_read("a machine's name is 'x', not the other's"),
            "a machine's name is 'x', not the other's");
}

TEST(CutToRead, LeavesPathsLonger) {
  const std::string path = "/" + std::string(200, 'p');
  EXPECT_EQ(cut_to_read("file '" + path + "' does not exist"),
            "file '" + path + "' does not exist");
  EXPECT_EQ(cut_to_read("'" + path + path + "'").size(), 257U);
}

TEST(CutToRead, ApostrophesInProseAreNoQuotes) {
  const std::string text = "the machine's kernels are " + std::string(200, 'k') + " of the user's";
  EXPECT_EQ(cut_to_read(text), text);
}

TEST(CutToRead, CutsWhatHasNoBlank) {
  const std::string path = "/" + std::string(100'000, 'p');
  EXPECT_EQ(cut_to_read("cannot read " + path + ": it's not there"),
            "cannot read " + excerpt(path + ":", 255) + " it's not there");
}

TEST(CutToRead, KeepsTheEndOfAnEndlessMessage) {
  std::string quotes;
  for (int at = 0; at < 10'000; ++at) quotes += "'' ";
  const std::string text = cut_to_read("--m is '" + quotes + "', must be a number");
  EXPECT_LE(text.size(), 2000U);
  EXPECT_TRUE(text.starts_with("--m is '")) << text;
  EXPECT_TRUE(text.ends_with("', must be a number")) << text;
}

TEST(CutToRead, IsWhatConfigErrorSays) {
  const std::string large(1'000, 'x');
  EXPECT_EQ(std::string(ConfigError("'" + large + "' is unknown").what()),
            "error: '" + excerpt(large, 80) + "' is unknown");
}

}  // namespace
}  // namespace stcsim
