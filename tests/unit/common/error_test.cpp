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

TEST(ConfigError, SaysErrorOnce) {
  EXPECT_STREQ(ConfigError("no such machine").what(), "error: no such machine");
}

TEST(ConfigError, StartsWithThePlace) {
  EXPECT_STREQ(ConfigError({"a.yaml", 12, 9}, "unknown key").what(),
               "a.yaml:12:9: error: unknown key");
  EXPECT_STREQ(ConfigError({"a.yaml", 0, 0}, "is empty").what(), "a.yaml: error: is empty");
}

}  // namespace
}  // namespace stcsim
