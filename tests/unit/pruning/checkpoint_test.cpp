#include "pruning/checkpoint.hpp"

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/checkpoint_writer.hpp"

namespace stcsim::pruning {
namespace {

using stcsim::test::message_of;
using stcsim::test::TemporaryDirectory;
using ::testing::HasSubstr;

CheckpointOptions magnitude_2_4(std::vector<std::string> tensors = {}) {
  CheckpointOptions options;
  options.scheme = "magnitude";
  options.prune.pattern = {2, 4};
  options.tensors = std::move(tensors);
  return options;
}

std::string bytes_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string checkpoint_of_all_types() {
  CheckpointWriter writer;
  writer.add("embed.weight", "F32", {4, 4}, encoded(ramp(16), "F32"));
  writer.add("a.weight", "F32", {4, 8}, encoded(ramp(32), "F32"));
  writer.add("b.weight", "BF16", {2, 6}, encoded(ramp(12), "BF16"));
  writer.add("c.weight", "F16", {2, 4, 2, 1}, encoded(ramp(16), "F16"));
  writer.add("steps", "I64", {1}, std::string(8, '\7'));
  writer.add("a.bias", "F32", {4}, encoded(ramp(4), "F32"));
  return writer.text();
}

TEST(Checkpoint, PrunesWeightsAndCopiesTheRestByteByByte) {
  const TemporaryDirectory folder;
  const auto input = folder.path() / "in.safetensors";
  const auto output = folder.path() / "out.safetensors";
  std::ofstream(input, std::ios::binary) << checkpoint_of_all_types();
  const auto rows = prune_checkpoint(input, output, magnitude_2_4());
  const std::string before = bytes_in(input);
  const std::string after = bytes_in(output);
  const SafetensorsHeader header = read_safetensors_header(output);
  ASSERT_EQ(before.size(), after.size());
  EXPECT_EQ(before.substr(0, header.bytes.size()), after.substr(0, header.bytes.size()));
  ASSERT_EQ(rows.size(), 6U);
  for (const CheckpointRow& row : rows) {
    const std::size_t at = header.bytes.size() + row.tensor.begin;
    const std::size_t size = row.tensor.end - row.tensor.begin;
    const bool is_same = before.substr(at, size) == after.substr(at, size);
    EXPECT_EQ(row.is_pruned,
              row.tensor.name.ends_with("weight") && row.tensor.name != "embed.weight");
    EXPECT_EQ(is_same, !row.is_pruned) << row.tensor.name;
  }
  EXPECT_EQ(rows[1].nonzeros, 16);
  // Of a row 1 to 8: 3 + 4 + 7 + 8 of 36 stay; four rows add 8 to each.
  EXPECT_DOUBLE_EQ(*rows[1].l1_retained, (22.0 + 54 + 86 + 118) / (32 * 33 / 2));
  // Six columns: 2 of 4, and both of the last two.
  EXPECT_EQ(rows[2].nonzeros, 8);
  // A convolution's groups run along its input channels: 2 of 4, for each of 2 x 1 taps.
  const std::string c = after.substr(header.bytes.size() + rows[3].tensor.begin, 32);
  EXPECT_EQ(decoded(c, "F16"),
            (std::vector<float>{0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 13, 14, 15, 16}));
}

TEST(Checkpoint, PiecesOfATensorArePrunedAsTheWhole) {
  // More than a piece of 2^24 elements, in rows of 4,096.
  const TemporaryDirectory folder;
  const auto input = folder.path() / "in.safetensors";
  const auto output = folder.path() / "out.safetensors";
  constexpr std::int64_t kRows = 4099;
  Tensor tensor{{kRows, 4096}, {}};
  for (std::int64_t at = 0; at < kRows * 4096; ++at) {
    tensor.values.push_back(static_cast<float>((at * 7919) % 251 - 125));
  }
  CheckpointWriter writer;
  writer.add("w", "BF16", tensor.shape, encoded(tensor.values, "BF16"));
  std::ofstream(input, std::ios::binary) << writer.text();
  (void)prune_checkpoint(input, output, magnitude_2_4({"w"}));
  const std::size_t header = read_safetensors_header(output).bytes.size();
  EXPECT_TRUE(decoded(bytes_in(output).substr(header), "BF16") ==
              prune(tensor, "magnitude", {2, 4}, 1, 1).values);
}

TEST(Checkpoint, ShardsAreFilesOfTheirOwn) {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder.path() / "in");
  for (const char* const name : {"a", "b"}) {
    CheckpointWriter writer;
    writer.add(std::string(name) + ".weight", "F16", {1, 4}, encoded(ramp(4), "F16"));
    std::ofstream(folder.path() / "in" / (std::string(name) + ".safetensors"), std::ios::binary)
        << writer.text();
  }
  const std::string index =
      R"({"weight_map": {"a.weight": "a.safetensors", "b.weight": "b.safetensors"}})";
  std::ofstream(folder.path() / "in/model.safetensors.index.json") << index;
  for (const char* const input : {"in", "in/model.safetensors.index.json"}) {
    const auto output = folder.path() / "out";
    const auto rows = prune_checkpoint(folder.path() / input, output, magnitude_2_4({"b.*"}));
    EXPECT_EQ(rows.size(), 2U);
    EXPECT_EQ(bytes_in(output / "a.safetensors"), bytes_in(folder.path() / "in/a.safetensors"));
    EXPECT_NE(bytes_in(output / "b.safetensors"), bytes_in(folder.path() / "in/b.safetensors"));
    EXPECT_EQ(bytes_in(output / "model.safetensors.index.json"), index);
    std::filesystem::remove_all(output);
  }
}

/// An index is copied, so one that names files elsewhere is refused in its folder, too.
TEST(Checkpoint, AFoldersIndexNamesFilesBesideIt) {
  const TemporaryDirectory folder;
  CheckpointWriter writer;
  writer.add("a.weight", "F16", {1, 4}, encoded(ramp(4), "F16"));
  std::filesystem::create_directories(folder.path() / "in");
  std::ofstream(folder.path() / "in/a.safetensors", std::ios::binary) << writer.text();
  std::ofstream(folder.path() / "in/model.safetensors.index.json")
      << R"({"weight_map": {"a.weight": "a.safetensors", "b.weight": "../b.safetensors"}})";
  EXPECT_THAT(message_of<ConfigError>([&] {
                (void)prune_checkpoint(folder.path() / "in", folder.path() / "out",
                                       magnitude_2_4());
              }),
              HasSubstr("model.safetensors.index.json: error: tensor 'b.weight' must lie in a file "
                        "beside it"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST(Checkpoint, SixteenBitsAreRoundedToTheNearestEven) {
  const auto word = [](float value, const char* type) {
    const std::string bytes = encoded({value}, type);
    return static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8;
  };
  for (int bits = 0; bits < 65536; ++bits) {
    const std::string bytes{static_cast<char>(bits & 255), static_cast<char>(bits >> 8)};
    for (const char* const type : {"F16", "BF16"}) {
      const float value = decoded(bytes, type).front();
      const bool is_nan = std::isnan(decoded(encoded({value}, type), type).front());
      EXPECT_EQ(is_nan, std::isnan(value)) << type << " " << bits;
      EXPECT_TRUE(is_nan || word(value, type) == bits) << type << " " << bits;
    }
  }
  EXPECT_EQ(word(1.0F + 0x1p-11F, "F16"), 0x3c00);  // a tie: to even
  EXPECT_EQ(word(1.0F + 0x3p-11F, "F16"), 0x3c02);
  EXPECT_EQ(word(0x1p-25F, "F16"), 0);  // half of the smallest
  EXPECT_EQ(word(0x1.8p-25F, "F16"), 1);
  EXPECT_EQ(word(65519.0F, "F16"), 0x7bff);
  EXPECT_EQ(word(65520.0F, "F16"), 0x7c00);  // infinity
  EXPECT_EQ(word(1.0F + 0x1p-8F, "BF16"), 0x3f80);
  EXPECT_EQ(word(1.0F + 0x3p-8F, "BF16"), 0x3f82);
}

TEST(Checkpoint, NamesMatchWithStars) {
  EXPECT_TRUE(matches("layers.0.q_proj.weight", "*q_proj*"));
  EXPECT_TRUE(matches("abc", "a*c"));
  EXPECT_TRUE(matches("abc", "***"));
  EXPECT_FALSE(matches("abc", "a*b"));
  EXPECT_FALSE(matches("abc", "ab"));
  EXPECT_FALSE(matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "a*a*a*a*a*a*a*a*a*a*a*c"));
}

TEST(Checkpoint, MalformedFilesAreRefusedWithAllThatIsWrong) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "x.safetensors";
  const auto refusal = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    return message_of<ConfigError>([&] { (void)read_safetensors_header(file); });
  };
  const std::string whole = checkpoint_of_all_types();
  EXPECT_THAT(refusal("abc"), HasSubstr("shorter than a header"));
  EXPECT_THAT(refusal(std::string(8, '\xff') + "{}"), HasSubstr("longer than the file"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)), HasSubstr("its tensors need"));
  EXPECT_THAT(refusal(framed(R"([1])")), HasSubstr("is no map"));
  const std::string both = refusal(framed(
      R"({"a": {"dtype": "F32", "shape": [9223372036854775807, 9], "data_offsets": [0, 4]},
          "b": {"dtype": "Q7", "shape": [], "data_offsets": [4, 5]}, "c": 3})"));
  EXPECT_THAT(both, HasSubstr("tensor 'a'"));
  EXPECT_THAT(both, HasSubstr("tensor 'b' has type 'Q7'"));
  EXPECT_THAT(both, HasSubstr("tensor 'c' must have dtype"));
  EXPECT_THAT(
      refusal(framed(R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [2, 6]}})") + "123456"),
      HasSubstr("begins at byte 2, must at 0"));
}

TEST(Checkpoint, WhatCannotBePrunedIsSaid) {
  const TemporaryDirectory folder;
  const auto input = folder.path() / "in.safetensors";
  std::ofstream(input, std::ios::binary) << checkpoint_of_all_types();
  const auto refusal = [&](std::vector<std::string> tensors, const std::string& output) {
    return message_of<ConfigError>([&] {
      (void)prune_checkpoint(input, output.empty() ? "" : folder.path() / output,
                             magnitude_2_4(std::move(tensors)));
    });
  };
  EXPECT_THAT(refusal({"steps"}, ""), HasSubstr("tensor 'steps' is I64, must be F32"));
  EXPECT_THAT(refusal({"nothing"}, ""), HasSubstr("no tensor of it is to be pruned"));
  EXPECT_THAT(refusal({"a.weight"}, "in.safetensors"), HasSubstr("it is the input"));
}

/// What was there stays there until a tensor has been pruned; of an index, every shard must be
/// there.
TEST(Checkpoint, NothingIsWrittenWhereNothingIsToBePruned) {
  const TemporaryDirectory folder;
  CheckpointWriter writer;
  writer.add("a.weight", "I8", {4, 4}, std::string(16, '\1'));
  std::ofstream(folder.path() / "in.safetensors", std::ios::binary) << writer.text();
  std::ofstream(folder.path() / "out.safetensors") << "keep";
  const auto refusal = [&](const std::string& input, const std::string& output) {
    return message_of<ConfigError>([&] {
      (void)prune_checkpoint(folder.path() / input, folder.path() / output, magnitude_2_4());
    });
  };
  EXPECT_THAT(refusal("in.safetensors", "out.safetensors"),
              HasSubstr("no tensor of it is to be pruned"));
  EXPECT_EQ(bytes_in(folder.path() / "out.safetensors"), "keep");
  std::filesystem::create_directory(folder.path() / "shards");
  std::filesystem::copy(folder.path() / "in.safetensors", folder.path() / "shards");
  EXPECT_THAT(refusal("shards", "pruned"), HasSubstr("no tensor of it is to be pruned"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "pruned"));
  // An axis that the second shard's tensor has not.
  CheckpointWriter vector;
  vector.add("b.weight", "F32", {4}, encoded(ramp(4), "F32"));
  std::ofstream(folder.path() / "shards" / "z.safetensors", std::ios::binary) << vector.text();
  CheckpointWriter matrix;
  matrix.add("a.weight", "F32", {4, 4}, encoded(ramp(16), "F32"));
  std::ofstream(folder.path() / "shards" / "a.safetensors", std::ios::binary) << matrix.text();
  CheckpointOptions options = magnitude_2_4({"?.weight"});
  std::filesystem::remove(folder.path() / "shards" / "in.safetensors");
  options.axis = 1;
  EXPECT_THAT(message_of<ConfigError>([&] {
                (void)prune_checkpoint(folder.path() / "shards", folder.path() / "pruned", options);
              }),
              HasSubstr("tensor 'b.weight' has 1 axes, '--axis' is 1"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "pruned"));
}

TEST(Checkpoint, AShardThatIsMissingIsNamedByItsIndex) {
  const TemporaryDirectory folder;
  const auto index = folder.path() / "m.safetensors.index.json";
  std::ofstream(index) << R"({"weight_map": {"w": "b.safetensors"}})";
  EXPECT_EQ(message_of<ConfigError>([&] { (void)prune_checkpoint(index, "", magnitude_2_4()); }),
            index.string() +
                ": error: tensor 'w' must lie in 'b.safetensors', which is no file beside it");
}

TEST(Checkpoint, NumbersThatAreNoneAreNamedWithTheirFile) {
  const TemporaryDirectory folder;
  const auto input = folder.path() / "in.safetensors";
  std::vector<float> values = ramp(16);
  values[5] = std::numeric_limits<float>::quiet_NaN();
  CheckpointWriter writer;
  writer.add("a.weight", "F32", {4, 4}, encoded(values, "F32"));
  std::ofstream(input, std::ios::binary) << writer.text();
  EXPECT_EQ(message_of<ConfigError>([&] { (void)prune_checkpoint(input, "", magnitude_2_4()); }),
            "error: element [1, 1] of a.weight in " + input.string() +
                " is nan, must be a finite number");
}

}  // namespace
}  // namespace stcsim::pruning
