#include <gtest/gtest.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

TEST(NextCommand, WordsAreQuotedWhereAShellWouldReadMoreIntoThem) {
  EXPECT_EQ(shell_word("/a/b-1.yaml"), "/a/b-1.yaml");
  EXPECT_EQ(shell_word("key=[1, 2]"), "'key=[1, 2]'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace stcsim
