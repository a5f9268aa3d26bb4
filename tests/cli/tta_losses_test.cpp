// Time to accuracy of schemes of which nothing but the loss at the end is known.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// SR-STE's ResNet-50 was published to end 0.3 points below dense: of 90 that is 1/300 of what is
/// reached. 80 lies between 50 and 90, and between what is left of them.
TEST_F(Tta, APublishedLossSaysWhenATargetIsReached) {
  with(kWithCurves);
  file("dense_1.csv", "epoch,acc\n1,50\n2,90\n3,90\n");
  const std::vector<std::string> named{"--set", "networks=[{extends: ./net.yaml, name: resnet50}]",
                                       "--set", "schemes=[dense, sr-ste]"};
  const auto with_target = [&](const std::string& target) {
    std::vector<std::string> arguments = named;
    arguments.insert(arguments.end(), {"--target", target});
    return arguments;
  };
  const json scheme = parsed(with_target("80"))["results"][1];
  const double left = 1 - 0.3 / 90;
  const double x = 1 + (80 - 50 * left) / (40 * left);
  EXPECT_EQ(scheme["to_target"]["predicted"], true);
  EXPECT_NEAR(scheme["epochs_to_target"]["mean"], 2 * x / 1.75, 1e-6);
  EXPECT_NEAR(scheme["predicted"]["end"], 89.7, 1e-9);
  EXPECT_EQ(scheme["verdict"], "cannot be told apart");
  const json above = parsed(with_target("89.8"))["results"][1];
  EXPECT_EQ(above["verdict"], "not reached");
  EXPECT_EQ(above["hours"], nullptr);
  EXPECT_EQ(parsed(with_target("dense-0.3"))["question"]["target"], 89.7);
  EXPECT_EQ(parsed(with_target("dense-0.3"))["results"][1]["to_target"]["reached"], 1);
  const std::string screen = run(with_target("dense-0.3")).out;
  EXPECT_THAT(screen, HasSubstr("saves on two_sms"));
  EXPECT_THAT(screen, HasSubstr("0.30 ± 0.24"));
  EXPECT_THAT(run({"--target", "dens-0.3"}).err, HasSubstr("is 'dens-0.3', must be a number, or"));
  EXPECT_THAT(run({"--target", "dense-x"}).err,
              HasSubstr("must be a number, or so much worse than dense"));
  EXPECT_EQ(run(with_target("dense+0.3")).err,
            "stcsim tta: error: --target is dense+0.3, but more of acc is better: must be "
            "dense-0.3\n");
}

constexpr const char* kWithEnds =
    "{samples_per_epoch: 4, epochs: 100, devices: 4, price_per_device_hour: 10, metric: val_loss, "
    "trainings: [{scheme: dense, end: 3}, {scheme: asp, end: 3.001}]}";

/// Dense may be as short as (3 / 3.1)^(1 / 0.0331) of its length; asp has 3.001 of it to go, and
/// pays if it loses less than a dense training of its hours does. SLoPe's loss is not known.
TEST_F(Tta, TrainingsOfAnyLengthAreHeldAgainstShorterDenseOnes) {
  with(kWithEnds);
  const std::vector<std::string> asked{"--target", "dense+0.1nats", "--set",
                                       "schemes=[dense, asp, slope]"};
  const json results = parsed(asked)["results"];
  const json& dense = results[0];
  const double exponent = 0.0331;
  const double whole = dense["training_hours"];
  EXPECT_NEAR(double(dense["hours"]["mean"]) / whole, std::pow(3 / 3.1, 1 / exponent), 2e-4);
  const double longer = double(results[1]["training_hours"]) / whole;
  EXPECT_NEAR(double(results[1]["hours"]["mean"]) / whole,
              longer * std::pow(3 / 3.099, 1 / exponent), 2e-4);
  write_text(tiny().path("large.yaml"),
             "name: large\ndescription: one linear layer\nbatch: 2\noptimizer: adam\nlayers: "
             "[{name: one, type: linear, in_features: 1024, out_features: 1024, tokens: 1024}]\n");
  const json large = parsed({"--target", "dense+0.1nats", "--set", "networks=[./large.yaml]",
                             "--set", "scheme_work=false", "--set",
                             "schemes=[dense, asp, {name: sdgp, layers: {types: [linear]}}]"});
  const json& sdgp = large["results"][2];
  const double part =
      double(sdgp["training_hours"]) / double(large["results"][0]["training_hours"]);
  EXPECT_LT(part, 0.97);
  EXPECT_NEAR(sdgp["most_loss"], 3 * (std::pow(part, -exponent) - 1), 1e-9);
  EXPECT_EQ(results[1]["most_loss"], 0);
  EXPECT_GT(longer, 1.9);  // asp trains densely first, and for no shorter than that
  EXPECT_LE(double(dense["hours"]["interval"][0]) / double(dense["hours"]["mean"]),
            std::pow(3 / 3.1, 0.32 / exponent) + 1e-4);
  EXPECT_GT(double(results[1]["own"]["value"]), 0);
  EXPECT_EQ(results[1]["verdict"], "slower");
  const std::string screen = run(asked).out;
  EXPECT_THAT(screen, StartsWith("tiny on 4 two_sms: dense reaches 3.1 in "));
  EXPECT_THAT(screen, HasSubstr("step is shorter than dense's\n"));
  EXPECT_THAT(screen, HasSubstr("Boards draw (and cost at 10 a device-hour): dense on two_sms "));
  EXPECT_THAT(run({"--target", "dense-0.1"}).err,
              HasSubstr("less of val_loss is better: must be dense+0.1"));
  with("{samples_per_epoch: 4, trainings: [{scheme: dense, end: 3}]}");
  EXPECT_THAT(run({"--target", "3.1"}).err, HasSubstr("'end' needs 'epochs' and 'metric'"));
}

}  // namespace
}  // namespace stcsim
