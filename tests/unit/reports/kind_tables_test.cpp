#include <gtest/gtest.h>

#include "reports/parts/study_lines.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

StudyResult study_with_kinds() {
  StudyResult study = test::small_study();
  for (StudyTotal& total : study.totals) {
    total.framework = "pytorch_eager";
    total.kinds.at(static_cast<std::size_t>(StreamKind::activation)) = test::part(125000, 125000);
    total.kinds.at(static_cast<std::size_t>(StreamKind::launches)) = test::part(62500, 62500);
  }
  return study;
}

TEST(KindTables, SayWhatIsLeftBesideTheProducts) {
  EXPECT_EQ(kind_tables(study_with_kinds()),
            "mlp on a100: where the time goes (framework pytorch_eager)\n\n"
            "part of the step    dense   share   sr-ste   share\n"
            "----------------  -------  ------  -------  ------\n"
            "GEMMs             6.00 ms  96.0 %  5.00 ms  95.2 %\n"
            "activation         125 us   2.0 %   125 us   2.4 %\n"
            "launches          62.5 us   1.0 %  62.5 us   1.2 %\n"
            "\n");
}

TEST(KindTables, AreEmptyWhereOnlyProductsAre) {
  EXPECT_EQ(kind_tables(test::small_study()), "");
}

/// Without a dense step the scheme stands alone; one with failed points is not the fastest.
TEST(KindTables, CompareWhatIsThere) {
  StudyResult study = study_with_kinds();
  study.totals.erase(study.totals.begin());
  study.totals.push_back(study.totals.front());
  study.totals.back().scheme = "broken";
  study.totals.back().training.speedup = 9;
  study.totals.back().step.failed = 1;
  const std::string text = kind_tables(study);
  EXPECT_NE(text.find("part of the step   sr-ste   share\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace stcsim
