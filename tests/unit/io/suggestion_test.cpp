#include "common/suggestion.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(EditDistance, CountsEachKindOfEdit) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("abc", "abxc"), 1U);   // insertion
  EXPECT_EQ(edit_distance("abc", "ac"), 1U);     // deletion
  EXPECT_EQ(edit_distance("abc", "axc"), 1U);    // substitution
  EXPECT_EQ(edit_distance("abcd", "acbd"), 1U);  // swap
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);     // optimal string alignment, not 2
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("FP16", "fp16"), 0U);
}

TEST(EditDistance, IsSymmetric) {
  const std::vector<std::string> words{"", "a", "num_sms", "num_smss", "sum_mns", "clock_mhz"};
  for (const std::string& left : words) {
    for (const std::string& right : words) {
      EXPECT_EQ(edit_distance(left, right), edit_distance(right, left)) << left << " " << right;
    }
  }
}

TEST(DidYouMean, NamesTheClosestIfItIsAlike) {
  const std::vector<std::string> keys{"num_sms", "sm", "memory_bus", "m", "n"};
  EXPECT_EQ(did_you_mean("num_smss", keys), "; did you mean 'num_sms'?");
  EXPECT_EQ(did_you_mean("mun_sms", keys), "; did you mean 'num_sms'?");
  EXPECT_EQ(did_you_mean("memory-buss", keys), "; did you mean 'memory_bus'?");
  EXPECT_EQ(did_you_mean("SM", keys), "; did you mean 'sm'?");
  EXPECT_EQ(did_you_mean("frequency", keys), "");
  EXPECT_EQ(did_you_mean("k", keys), "");  // all of it differs
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Nearest, SortsByLikenessThenByOrder) {
  EXPECT_EQ(nearest("a10", {"h100", "a100", "rtx3090", "a30"}, 3),
            (std::vector<std::string>{"a100", "a30", "h100"}));
  EXPECT_EQ(nearest("x", {"b", "a"}, 5), (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace stcsim
