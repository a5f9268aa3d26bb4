#include <gtest/gtest.h>

#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

TEST(SearchText, SaysWhatMayHaveBeenMissed) {
  const KernelSearch search{1040, 3, 1030, 7, 0.125, 0.9};
  EXPECT_EQ(search_text(search, false),
            "1,040 kernels could run it: 3 simulated, 1,030 cannot be faster, 7 left out: none of "
            "these saves more than 12.5 % of the time; by estimate the best takes 0.90 times as "
            "long");
}

TEST(SearchText, SaysThatNothingWasLeftOut) {
  EXPECT_EQ(search_text(KernelSearch{40, 3, 37, 0, 0}, false),
            "40 kernels could run it: 3 simulated, 37 cannot be faster; it is the fastest of all");
}

TEST(SearchText, SaysWhoChoseWhereNothingWasSearched) {
  EXPECT_EQ(search_text({}, false), "it was chosen by the library's rule");
  EXPECT_EQ(search_text({}, true), "it was named");
}

}  // namespace
}  // namespace stcsim
