#include "reports/tta/tta_evidence.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

Scheme sdgp(const std::string& name, Pattern pattern) {
  Scheme scheme;
  scheme.name = name;
  scheme.phases[1].sparsity = PhaseSparsity{
      .tensor = Tensor::output_gradient, .pattern = pattern, .prune = "rescaled-magnitude"};
  return scheme;
}

curves::PublishedFinal row_of(const std::string& scheme, const std::string& pattern,
                              double sparse) {
  curves::PublishedFinal row;
  row.scheme = scheme;
  row.config = "sdgp";
  row.network_config = "resnet9_cifar10";
  row.pattern = pattern;
  row.sparse = sparse;
  return row;
}

const std::vector<curves::PublishedFinal> kRows{
    row_of("SDGP random", "2:4", 94.5), row_of("SDGP rescaled magnitude", "2:4", 95.2),
    row_of("SDGP magnitude", "2:4", 95.1), row_of("SDGP rescaled magnitude", "4:32", 94.9)};

TEST(PublishedOf, IsTheRowThatPrunesAsTheSchemeDoes) {
  EXPECT_EQ(published_of(kRows, sdgp("sdgp", {2, 4}), "resnet9_cifar10")->sparse, 95.2);
}

TEST(PublishedOf, AnotherPatternIsAnotherRow) {
  EXPECT_EQ(published_of(kRows, sdgp("sdgp-4:32", {4, 32}), "resnet9_cifar10")->sparse, 94.9);
  EXPECT_EQ(published_of(kRows, sdgp("sdgp-1:8", {1, 8}), "resnet9_cifar10").has_value(), false);
}

TEST(PublishedOf, OfAnotherNetworkOrSchemeIsNone) {
  EXPECT_EQ(published_of(kRows, sdgp("sdgp", {2, 4}), "resnet18").has_value(), false);
  EXPECT_EQ(published_of(kRows, sdgp("mine", {2, 4}), "resnet9_cifar10").has_value(), false);
  EXPECT_EQ(published_of(kRows, Scheme{}, "resnet9_cifar10").has_value(), false);
}

TEST(EvidenceOf, SaysWhatIsNotKnown) {
  TtaConfig config;
  config.trainings.push_back({.scheme = "mine"});
  TtaResult result;
  result.scheme = "mine";
  result.against = "dense";
  EXPECT_EQ(evidence_of(result, config, true),
            "nothing published for this network; epochs unknown");
  EXPECT_EQ(evidence_of(result, config, false), "nothing published for this network; no curve");
  config.trainings[0].evidence = "told so";
  EXPECT_EQ(evidence_of(result, config, false), "told so; no curve");
}

}  // namespace
}  // namespace stcsim
