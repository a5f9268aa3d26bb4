#pragma once

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace stcsim {

/// Tests of commands that write pages: skipped where the program was built without the page.
class PageTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(stcsim_program().parent_path() / "page/report.html")) {
      GTEST_SKIP() << "built without the page (STCSIM_BUILD_PAGE)";
    }
  }
};

}  // namespace stcsim
