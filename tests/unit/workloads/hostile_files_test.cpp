#include "tests/unit/workloads/hostile_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/unit/config/scratch_folder.hpp"
#include "workloads/files/import.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kHalfGibibyte = std::int64_t{512} << 20;

std::string refusal_of_file(const std::string& file) {
  return error_of([&] { (void)import_network(file, {}); });
}

TEST(HostileFiles, SamplesAreReadWhole) {
  const ScratchFolder folder;
  for (const ModelSample& sample : model_samples()) {
    if (sample.name.ends_with(".safetensors")) continue;
    const std::string file = folder.write(sample.name, sample.text);
    EXPECT_NE(recognise(file), ModelFile::none) << sample.name;
    EXPECT_FALSE(import_network(file, {}).network.layers.empty()) << sample.name;
  }
}

TEST(HostileFiles, MutatedOnesAreReadOrRefused) {
  constexpr std::int64_t kFiles = 3000;
  const std::int64_t read = import_mutated(1, kFiles);
  EXPECT_GT(read, kFiles / 50);  // neither everything is refused
  EXPECT_LT(read, kFiles * 9 / 10);
  EXPECT_LE(peak_memory(), kHalfGibibyte);
}

TEST(HostileFiles, GiantNumbersAreRefusedWithoutTheirMemory) {
  const ScratchFolder folder;
  EXPECT_THAT(refusal_of_file(folder.write("a.json", R"({"model_type": "bert", "hidden_size": 1e300,
                                "num_hidden_layers": 99999999999999999999})")),
              HasSubstr("'num_hidden_layers' is"));
  EXPECT_THAT(refusal_of_file(folder.write("b.json", R"({"model_type": "llama",
      "hidden_size": 16777216, "intermediate_size": 2147483647, "num_hidden_layers": 4096,
      "num_attention_heads": 1})")),
              HasSubstr("the layer has more than 2^53"));
  std::string deep = "{\"model_type\": ";
  for (int level = 0; level < 1'000'000; ++level) deep += '[';
  EXPECT_THAT(refusal_of_file(folder.write("c.json", deep)), HasSubstr("within each other"));
  EXPECT_LE(peak_memory(), kHalfGibibyte);
}

TEST(HostileFiles, ACompressedTextWithoutEndIsRefused) {
  const ScratchFolder folder;
  const std::string file = folder.at("bomb.json.gz");
  gzFile stream = gzopen(file.c_str(), "wb1");
  gzputs(stream, "{\"traceEvents\": [{\"name\": \"");
  const std::string block(std::size_t{1} << 20, 'a');
  for (int mebibyte = 0; mebibyte < 64; ++mebibyte) gzwrite(stream, block.data(), 1U << 20U);
  gzclose(stream);
  EXPECT_THAT(refusal_of_file(file), HasSubstr("longer than 1 MiB"));
}

}  // namespace
}  // namespace stcsim
