#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "workloads/files/readers.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

ImportedNetwork read_list(const std::string& text) {
  const ScratchFolder folder;
  const std::string file = folder.write("gemms.csv", text);
  EXPECT_EQ(recognise(file), ModelFile::gemm_list);
  return import_network(file, {});
}

std::string refusal_of_list(const std::string& text) {
  return error_of([&] { (void)read_list(text); });
}

TEST(GemmList, EveryRowIsOneProductInItsPhase) {
  for (const Phase phase : kPhases) {
    for (const int batch : {1, 5}) {
      const ImportedNetwork read =
          read_list("k,phase,N,Batch count,M\n30," + std::string(to_string(phase)) + ",20," +
                    std::to_string(batch) + ",10\n");
      const Layer& layer = read.network.layers.at(0);
      for (const Phase other : kPhases) {
        const std::vector<GemmProblem> gemms = lower(layer, other, 1);
        ASSERT_EQ(gemms.size(), other == phase ? 1U : 0U);
        if (gemms.empty()) continue;
        EXPECT_EQ(std::tuple(gemms[0].m, gemms[0].n, gemms[0].k, gemms[0].batch_count),
                  std::tuple(10, 20, 30, batch));
      }
    }
  }
}

TEST(GemmList, RowsAreCountedWhateverTheySay) {
  for (const char* const row : {"8,8,8\n", "8,8,wide\n"}) {
    std::string text = "m,n,k\n";
    for (int at = 0; at <= 100'000; ++at) text += row;
    EXPECT_THAT(refusal_of_list(text),
                HasSubstr("gemms.csv:100002:1: error: the list has more than 100,000 rows"))
        << row;
  }
}

TEST(GemmList, CountsNamesAndPatterns) {
  const ImportedNetwork read = read_list(
      "# of my model\nm,n,k,count,name,pattern,sparse operand,dtype\n"
      "8,16,32,3,ff1,2:4,a,bf16\n8,16,32,1,ff1,dense,b,bf16\n8,16,32,,,,,\n");
  const std::vector<Layer>& layers = read.network.layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].repeat, 3);
  EXPECT_EQ(layers[0].weight_pattern, (Pattern{2, 4}));
  EXPECT_EQ(layers[1].name, "ff1#2");
  EXPECT_EQ(layers[1].out_channels, 16);  // B is the weight: transposed
  EXPECT_EQ(layers[1].height, 8);
  EXPECT_EQ(layers[2].name, "8x16x32");
  EXPECT_EQ(read.recognised, "list of 3 GEMMs, 5 with their counts");
  EXPECT_THAT(read.summary(), HasSubstr("the experiment's data type is bf16"));
}

TEST(GemmList, AllErrorsAreReportedAtOnce) {
  const std::string text = refusal_of_list(
      "m,n,k,phase,pattern\n0,1,1,,\n1,x,1,,\n1,1,1,sideways,\n1,1,1,dgrad,2:4\n1,1,1,,,,7\n");
  EXPECT_THAT(text, HasSubstr("not usable as a list of GEMMs"));
  EXPECT_THAT(text, HasSubstr("'m' is '0', must be a whole number from 1"));
  EXPECT_THAT(text, HasSubstr("'n' is 'x'"));
  EXPECT_THAT(text, HasSubstr("'phase' is 'sideways', must be forward, dgrad or wgrad"));
  EXPECT_THAT(text, HasSubstr("there a scheme says what is sparse"));
  EXPECT_THAT(text, HasSubstr("the header 5"));
  EXPECT_THAT(refusal_of_list("m,n,k,color\n1,1,1,red\n"),
              HasSubstr("line 1: column 'color' is unknown"));
  EXPECT_THAT(refusal_of_list("m,n,k\n"), HasSubstr("it has no layers"));
}

TEST(GemmList, IsProductsAlone) {
  const ImportedNetwork read = read_list("m,n,k\n8,16,32\n");
  EXPECT_TRUE(read.network.products_only);
}

TEST(GemmList, SeparatorsAreTheHeaders) {
  for (const std::string separator : {";", "\t", ", "}) {
    const ImportedNetwork read = read_list("# sizes, mine\nm" + separator + "n" + separator +
                                           "k\n8" + separator + "16" + separator + "32\n");
    ASSERT_EQ(read.network.layers.size(), 1U);
    EXPECT_EQ(read.network.layers[0].name, "8x16x32");
  }
  EXPECT_THAT(refusal_of_list("m;n;k\n8;x;32\n"), HasSubstr("'n' is 'x'"));
}

TEST(GemmList, NumbersNeedNames) {
  EXPECT_THAT(refusal_of_list("\n8,16,32\n8,16,64\n"),
              HasSubstr("line 2 has numbers where the columns are named: put a line before it, as "
                        "m,n,k or m,n,k,count"));
  EXPECT_THAT(refusal_of_list("8;16;32;4\n"), HasSubstr("line 1 has numbers"));
}

TEST(GemmList, ATopologyIsNone) {
  const ScratchFolder folder;
  EXPECT_THROW((void)recognise(folder.write("a.csv", "Layer, M, N, K,\nff, 1, 2, 3,\n")),
               ConfigError);
  EXPECT_EQ(recognise(folder.write("b.yaml", "name: a\nbatch: 1\n")), ModelFile::none);
}

TEST(GemmList, WeightsAreNoModel) {
  const ScratchFolder folder;
  const std::string file = folder.write("model.bin", std::string("PK\x03\x04", 4) + "data");
  EXPECT_THROW((void)recognise(file), ConfigError);
  EXPECT_THROW((void)recognise(folder.at("missing.csv")), ConfigError);
}

}  // namespace
}  // namespace stcsim
