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
  EXPECT_THAT(refusal_of_list("m,n,k,color\n1,1,1,red\n"), HasSubstr("line 1: column 'color' is unknown"));
  EXPECT_THAT(refusal_of_list("m,n,k\n"), HasSubstr("it has no layers"));
}

TEST(GemmList, ATopologyStaysOne) {
  const ScratchFolder folder;
  EXPECT_EQ(recognise(folder.write("a.csv", "Layer, M, N, K,\nff, 1, 2, 3,\n")),
            ModelFile::scale_sim);
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
