#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "common/error.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/workloads/hostile_files.hpp"
#include "workloads/files/import.hpp"

namespace stcsim {
namespace {

TEST(HostileFiles, AHundredThousandMutatedOnesAreReadOrRefused) {
  constexpr std::int64_t kFiles = 100'000;
  EXPECT_GT(import_mutated(1'000'000, kFiles), kFiles / 50);
  EXPECT_LE(peak_memory(), std::int64_t{512} << 20);
}

TEST(HostileFiles, GibibytesOfBlanksAreRefused) {
  const ScratchFolder folder;
  const std::string file = folder.at("bomb.json.gz");
  gzFile stream = gzopen(file.c_str(), "wb1");
  gzputs(stream, "{\"traceEvents\": [");
  const std::string block = std::string((std::size_t{1} << 20) - 2, ' ') + "1,";
  for (int mebibyte = 0; mebibyte < 2100; ++mebibyte) gzwrite(stream, block.data(), 1U << 20U);
  gzclose(stream);
  EXPECT_THROW((void)import_network(file, {}), ConfigError);
  EXPECT_LE(peak_memory(), std::int64_t{512} << 20);
}

}  // namespace
}  // namespace stcsim
