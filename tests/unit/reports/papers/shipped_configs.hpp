#pragma once

#include <gtest/gtest.h>

#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {

/// Tests that name shipped machines, networks and schemes: those of the source tree.
class ShippedConfigsTest : public testing::Test {
 private:
  EnvironmentVariable directory_{"STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs"};
};

}  // namespace stcsim
