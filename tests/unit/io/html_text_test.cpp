#include <gtest/gtest.h>

#include "common/io/text_fit.hpp"

namespace stcsim {
namespace {

TEST(HtmlText, EscapesWhatHtmlReadsOtherwise) {
  EXPECT_EQ(html_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(html_text("768×512"), "768×512");
}

}  // namespace
}  // namespace stcsim
