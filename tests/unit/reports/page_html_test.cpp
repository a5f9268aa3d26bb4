#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "reports/page/page_document.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using test::message_of;

TEST(PageHtml, TitleAndDataAreFilledIn) {
  EXPECT_EQ(page_html("<title>@TITLE@</title>[@DATA@]<script>'@DATA@'</script>", "a & <b>",
                      ordered_json::parse(R"([{"file": "a"}])")),
            "<title>a &amp; &lt;b&gt;</title>[{\"documents\":[{\"file\":\"a\"}]}]"
            "<script>'@DATA@'</script>");
}

TEST(PageHtml, ATextThatEndsTheScriptStaysData) {
  const std::string name = "</script><script>alert(1)</script><!--";
  const std::string page =
      page_html("@TITLE@\n@DATA@\n", "t", ordered_json::array({{{"layer", name}}}));
  EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("<")));
  const std::string data = page.substr(2, page.size() - 3);
  EXPECT_EQ(ordered_json::parse(data)["documents"][0]["layer"], name);
}

TEST(PageHtml, MarksInTheDataAreNoPlaces) {
  EXPECT_EQ(page_html("@TITLE@ @DATA@", "@DATA@", ordered_json::array({"@TITLE@"})),
            "@DATA@ {\"documents\":[\"@TITLE@\"]}");
}

TEST(PageHtml, AShellWithoutPlacesIsRefused) {
  const auto refusal = [](const char* shell) {
    return message_of<ConfigError>(
        [&] { static_cast<void>(page_html(shell, "t", ordered_json::array())); });
  };
  const char* const expected = "the page's shell has no places for title and data";
  EXPECT_THAT(refusal("@DATA@"), ::testing::HasSubstr(expected));
  EXPECT_THAT(refusal("@TITLE@"), ::testing::HasSubstr(expected));
  EXPECT_THAT(refusal("@DATA@ @TITLE@"), ::testing::HasSubstr(expected));
}

}  // namespace
}  // namespace stcsim
