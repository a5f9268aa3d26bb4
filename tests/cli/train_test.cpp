#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

const std::vector<std::string> kShort{"--set", "training.epochs=2",
                                      "--set", "training.samples_per_epoch=64",
                                      "--set", "training.task.evaluation_samples=32"};

/// A short training into `out`.
ProgramResult train(const std::string& experiment, const std::filesystem::path& out,
                    std::vector<std::string> more) {
  more.insert(more.begin(), {"train", experiment, "--out", out.string()});
  more.insert(more.end(), kShort.begin(), kShort.end());
  return run_stcsim(more);
}

TEST(Train, WritesALineOfTheCurvePerEpochAndWhatWasTrained) {
  const TemporaryDirectory directory;
  const ProgramResult result =
      train("train_images", directory.path(), {"--schemes", "dense,mvue-2-4", "--seeds", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("4/4 "));
  for (const char* const file : {"dense/seed1.csv", "dense/seed2.csv", "mvue-2-4/seed1.csv"}) {
    const std::string curve = content(directory.path() / file);
    EXPECT_THAT(curve, StartsWith("epoch,step,samples,train_loss,eval_loss,eval_accuracy,flip_rate,"
                                  "scale,fp16_zeros\n"
                                  "1,2,64,"))
        << file;
    EXPECT_THAT(curve, HasSubstr("\n2,4,128,")) << file;
    EXPECT_EQ(std::count(curve.begin(), curve.end(), '\n'), 3) << file;
    EXPECT_FALSE(std::filesystem::exists(directory.path() / (file + std::string(".partial"))));
  }
  EXPECT_NE(content(directory.path() / "dense/seed1.csv"),
            content(directory.path() / "dense/seed2.csv"));
  const auto record = nlohmann::json::parse(content(directory.path() / "train.json"));
  EXPECT_EQ(record.at("schema"), "stcsim.train/1");
  EXPECT_EQ(record.at("config").at("schemes").size(), 2U);
  const ProgramResult curves =
      run_stcsim({"tta", "--curves-only", (directory.path() / "dense/seed1.csv").string(),
                  (directory.path() / "dense/seed2.csv").string(), "--metric", "eval_accuracy"});
  EXPECT_EQ(curves.exit_code, 0) << curves.err;
}

TEST(Train, ResumesWhereItWasLeft) {
  const TemporaryDirectory directory;
  const std::filesystem::path first = directory.path() / "dense/seed1.csv";
  const std::filesystem::path second = directory.path() / "dense/seed2.csv";
  const auto dense = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--schemes", "dense", "--seeds", "2"});
    return train("train_images", directory.path(), more);
  };
  ASSERT_EQ(dense({}).exit_code, 0);
  const std::string curve = content(second);
  std::ofstream(first) << "kept\n";
  std::filesystem::remove(second);
  const ProgramResult rest = dense({"--resume"});
  EXPECT_EQ(rest.exit_code, 0);
  EXPECT_THAT(rest.err,
              StartsWith("stcsim train: 1 of 2 runs lie in " + directory.path().string()));
  EXPECT_EQ(content(first), "kept\n");
  EXPECT_EQ(content(second), curve);
  const ProgramResult other = dense({"--resume", "--set", "training.first_seed=2"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("train.json is of another experiment"));
  EXPECT_EQ(content(first), "kept\n");
}

TEST(Train, GivesTheSameBytesAgainWhateverTheJobs) {
  const TemporaryDirectory directory;
  for (const char* const experiment : {"train_images", "train_tokens"}) {
    const std::filesystem::path one = directory.path() / experiment / "one";
    const std::filesystem::path two = directory.path() / experiment / "two";
    const std::string schemes = "sdgp-random,mvue-transposable,fst";
    ASSERT_EQ(train(experiment, one, {"--schemes", schemes, "--seeds", "1"}).exit_code, 0);
    ASSERT_EQ(
        train(experiment, two, {"--schemes", schemes, "--seeds", "1", "--jobs", "3"}).exit_code, 0);
    for (const auto& folder : std::filesystem::directory_iterator(one)) {
      if (!folder.is_directory()) continue;
      const std::filesystem::path file = folder.path().filename() / "seed1.csv";
      EXPECT_EQ(content(one / file), content(two / file)) << experiment << " " << file;
    }
  }
}

TEST(Train, LeavesTheCurvesSoFarWhenInterrupted) {
  const TemporaryDirectory directory;
  const std::filesystem::path complete = directory.path() / "dense/seed1.csv";
  const std::filesystem::path curve = complete.string() + ".partial";
  std::filesystem::create_directories(complete.parent_path());
  std::ofstream(complete) << "of a run before\n";
  ProgramOptions options;
  options.signal = SIGINT;
  options.signal_when = [&] { return content(curve).find("\n1,") != std::string::npos; };
  const ProgramResult result =
      run_stcsim({"train", "train_images", "--schemes", "dense", "--out", directory.path().string(),
                  "--set", "training.samples_per_epoch=64", "--set", "training.epochs=100000",
                  "--set", "training.task.evaluation_samples=32"},
                 options);
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_FALSE(result.left_processes);
  EXPECT_THAT(result.err, HasSubstr("stcsim train: interrupted"));
  const std::string left = content(curve);
  EXPECT_THAT(left, HasSubstr("\n1,2,64,"));
  EXPECT_EQ(left.back(), '\n');
  EXPECT_FALSE(std::filesystem::exists(complete));
}

TEST(Train, WritesWeightsThatHaveTheSchemesPattern) {
  const TemporaryDirectory directory;
  const ProgramResult result = train("train_images", directory.path(),
                                     {"--schemes", "sr-ste", "--seeds", "1", "--save-weights"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::filesystem::path folder = directory.path() / "sr-ste/seed1";
  EXPECT_TRUE(std::filesystem::exists(folder / "conv2.npy"));
  // Pruned 2:4 already: pruning again keeps all that is left.
  const ProgramResult pruned =
      run_stcsim({"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input",
                  (folder / "conv2.forward.npy").string(), "--format", "json"});
  ASSERT_EQ(pruned.exit_code, 0) << pruned.err;
  EXPECT_EQ(nlohmann::json::parse(pruned.out).at("l1_retained"), 1.0);
}

TEST(Train, WritesTheGradientsOfTheLastStep) {
  const TemporaryDirectory directory;
  const ProgramResult result = train("train_tokens", directory.path(),
                                     {"--schemes", "dense", "--seeds", "1", "--save-gradients"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::filesystem::path folder = directory.path() / "dense/seed1";
  EXPECT_TRUE(std::filesystem::exists(folder / "gradients/l2.ff1.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder / "head.npy"));
  const ProgramResult pruned =
      run_stcsim({"prune", "--scheme", "magnitude", "--pattern", "2:4", "--axis", "0", "--input",
                  (folder / "gradients/head.npy").string(), "--format", "json"});
  ASSERT_EQ(pruned.exit_code, 0) << pruned.err;
  // Of 32 sequences of 32 tokens: 16 classes.
  EXPECT_EQ(nlohmann::json::parse(pruned.out).at("shape"), "1024x16");
}

TEST(Train, SaysWhatCannotBeTrained) {
  const TemporaryDirectory directory;
  const auto error_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--out", directory.path().string()});
    const ProgramResult result = run_stcsim(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(error_of({"quick"}), HasSubstr("has no 'training'"));
  EXPECT_THAT(error_of({"train_images", "--schemes", "dens"}), HasSubstr("--schemes has 'dens'"));
  EXPECT_THAT(error_of({"train_images", "--set", "networks.0=resnet9_cifar10"}),
              HasSubstr("network 'resnet9_cifar10' does not state its 'input'"));
  EXPECT_THAT(error_of({"train_images", "--set", "networks.0=tiny_transformer"}),
              HasSubstr("task 'images' has 3 channels of 16x16"));
  EXPECT_THAT(error_of({"train_images", "--set", "training.optimizers={}"}),
              HasSubstr("scheme 'step' freezes Adam's variance"));
  EXPECT_THAT(error_of({"train_images", "--set", "training.epoch=3"}),
              HasSubstr("unknown key 'epoch'"));
  EXPECT_THAT(error_of({"train_images", "--set", "schemes=[{extends: sdgp, name: ../evil}]"}),
              HasSubstr("'name' is '../evil', must be the name of a file"));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  std::string network =
      content(std::filesystem::path(STCSIM_SOURCE_DIR) / "configs/networks/tiny_resnet9.yaml");
  network.replace(network.find("res1.conv1"), 10, "../../w");
  const std::filesystem::path file = directory.path() / "net.yaml";
  std::ofstream(file) << network;
  EXPECT_THAT(error_of({"train_images", "--set", "networks.0=" + file.string()}),
              HasSubstr("layer '../../w': a name that is a path cannot be trained here"));
}

}  // namespace
}  // namespace stcsim
