#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "pruning/checkpoint.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/checkpoint_writer.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::int64_t kWidth = 8192;
constexpr std::size_t kTensorBytes = std::size_t{128} << 20U;  // 8192 x 8192 of 16 bits
constexpr int kTensors = 16;

/// Word `at` of tensor `tensor`: bfloat16 of no special value.
std::uint16_t word_at(int tensor, std::size_t at) {
  return static_cast<std::uint16_t>(
      0x3f00U + ((at * 2654435761U + static_cast<unsigned>(tensor)) >> 7U) % 256U);
}

void write_big_checkpoint(const std::filesystem::path& file) {
  CheckpointWriter writer;
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    writer.add("layers." + std::to_string(tensor) + ".weight", "BF16", {kWidth, kWidth},
               kTensorBytes);
  }
  std::ofstream stream(file, std::ios::binary);
  stream << writer.head();
  std::string row(static_cast<std::size_t>(kWidth) * 2, '\0');
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    for (std::size_t at = 0; at < kTensorBytes / 2; at += static_cast<std::size_t>(kWidth)) {
      for (std::size_t column = 0; column < static_cast<std::size_t>(kWidth); ++column) {
        const std::uint16_t word = word_at(tensor, at + column);
        row[2 * column] = static_cast<char>(word & 255U);
        row[2 * column + 1] = static_cast<char>(word >> 8U);
      }
      stream << row;
    }
  }
}

/// The most memory that this process had until now.
std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} << 10;
}

TEST(Checkpoint, TwoGibibytesArePrunedInHalfAGibibyte) {
  const stcsim::test::TemporaryDirectory folder;
  const auto input = folder.path() / "in.safetensors";
  const auto output = folder.path() / "out.safetensors";
  write_big_checkpoint(input);
  ASSERT_GE(std::filesystem::file_size(input), std::size_t{2} << 30U);
  CheckpointOptions options;
  options.scheme = "magnitude";
  options.prune.pattern = {2, 4};
  options.tensors = {"layers.1*.weight"};
  const auto rows = prune_checkpoint(input, output, options);
  EXPECT_LE(peak_bytes(), std::int64_t{512} << 20);
  std::ifstream before(input, std::ios::binary);
  std::ifstream after(output, std::ios::binary);
  std::string one(kTensorBytes, '\0');
  std::string other(kTensorBytes, '\0');
  const auto header = static_cast<std::streamoff>(read_safetensors_header(input).bytes.size());
  before.seekg(header);
  after.seekg(header);
  for (const CheckpointRow& row : rows) {
    before.read(one.data(), static_cast<std::streamsize>(one.size()));
    after.read(other.data(), static_cast<std::streamsize>(other.size()));
    EXPECT_EQ(one == other, !row.is_pruned) << row.tensor.name;
    EXPECT_EQ(row.nonzeros, row.is_pruned ? kWidth * kWidth / 2 : 0) << row.tensor.name;
  }
  EXPECT_EQ(std::filesystem::file_size(output), std::filesystem::file_size(input));
}

}  // namespace
}  // namespace stcsim::pruning
