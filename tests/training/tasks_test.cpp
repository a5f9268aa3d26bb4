#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "pruning/npy.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/training/support.hpp"
#include "training/tasks/task.hpp"

namespace stcsim::training {
namespace {

using stcsim::test::message_of;
using stcsim::test::TemporaryDirectory;
using ::testing::HasSubstr;

constexpr std::size_t kValues = 16 * 16 * 3;

TEST(ImageTask, GivesTheSameSamplesHoweverTheyAreAskedFor) {
  const auto task = make_image_task({.evaluation_samples = 8});
  const Examples all = task->training(3, 10, 6);
  const Examples part = task->training(3, 12, 2);
  EXPECT_EQ(all.part(2, 2).pixels, part.pixels);
  EXPECT_EQ(all.part(2, 2).labels, part.labels);
  EXPECT_NE(task->training(4, 10, 6).pixels, all.pixels);
  EXPECT_NE(task->evaluation().part(0, 6).pixels, all.pixels);
  EXPECT_EQ(make_image_task({.evaluation_samples = 8})->evaluation().pixels,
            task->evaluation().pixels);
}

TEST(ImageTask, HasItsClassesInEqualNumbers) {
  const auto task = make_image_task({.evaluation_samples = 1});
  const Examples samples = task->training(1, 0, 5000);
  std::array<int, 10> counts{};
  for (const std::int64_t label : samples.labels) ++counts.at(static_cast<std::size_t>(label));
  // 500 of each on average; four standard deviations are 85.
  for (const int count : counts) EXPECT_NEAR(count, 500, 85);
}

/// The mean image of each class.
std::vector<std::vector<double>> class_means(const Examples& samples) {
  std::vector<std::vector<double>> means(10, std::vector<double>(kValues));
  std::vector<double> counts(10);
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(samples.labels[i]);
    ++counts[label];
    for (std::size_t v = 0; v < kValues; ++v) means[label][v] += samples.pixels[i * kValues + v];
  }
  for (std::size_t label = 0; label < 10; ++label) {
    for (double& value : means[label]) value /= counts[label];
  }
  return means;
}

TEST(ImageTask, LeavesALinearClassifierAtChance) {
  // The nearest class mean is linear in the pixels: argmax of <m, x> - |m|^2 / 2.
  const auto task = make_image_task({.evaluation_samples = 2000});
  const auto means = class_means(task->training(1, 0, 4000));
  const Examples& test = task->evaluation();
  int right = 0;
  for (std::size_t i = 0; i < test.labels.size(); ++i) {
    std::size_t best = 0;
    double best_score = -1e300;
    for (std::size_t label = 0; label < 10; ++label) {
      double score = 0;
      for (std::size_t v = 0; v < kValues; ++v) {
        score += means[label][v] * (test.pixels[i * kValues + v] - means[label][v] / 2);
      }
      if (score > best_score) best = label;
      best_score = std::max(best_score, score);
    }
    right += static_cast<std::int64_t>(best) == test.labels[i] ? 1 : 0;
  }
  EXPECT_LT(right, 300) << "of 2000, where chance has 200";
}

TEST(ImageTask, ReplacesLabelsOfTrainingOnly) {
  const auto plain = make_image_task({.evaluation_samples = 500});
  const auto noisy = make_image_task({.label_noise = 1, .evaluation_samples = 500});
  EXPECT_EQ(plain->evaluation().labels, noisy->evaluation().labels);
  const Examples clean = plain->training(1, 0, 1000);
  const Examples replaced = noisy->training(1, 0, 1000);
  EXPECT_EQ(clean.pixels, replaced.pixels);
  const int equal =
      std::inner_product(clean.labels.begin(), clean.labels.end(), replaced.labels.begin(), 0,
                         std::plus<>(), std::equal_to<>());
  EXPECT_NEAR(equal, 100, 40);  // four standard deviations
}

TEST(TokenTask, FollowsTwoTables) {
  const auto task = make_token_task({.evaluation_samples = 400});
  using Pair = std::pair<std::int64_t, std::int64_t>;
  std::map<Pair, std::int64_t> likely;  // what the evaluation asks for, after a pair of tokens
  const Examples& test = task->evaluation();
  const auto for_each_token = [](const Examples& examples, auto body) {
    for (std::size_t i = 0; i < examples.tokens.size(); ++i) {
      if (i % 32 == 0) {
        EXPECT_EQ(examples.tokens[i], 0);
        EXPECT_EQ(examples.labels[i], kNoLabel);
      } else {
        body(Pair{examples.tokens[i - 1], examples.tokens[i]}, examples.labels[i]);
      }
    }
  };
  for_each_token(test, [&](Pair pair, std::int64_t label) {
    const auto [entry, is_new] = likely.emplace(pair, label);
    EXPECT_EQ(entry->second, label);
  });
  EXPECT_GT(likely.size(), 100U);  // of 256; random tables do not lead to all pairs
  std::map<Pair, std::int64_t> other;
  int all = 0;
  int as_likely = 0;
  for_each_token(task->training(1, 0, 400), [&](Pair pair, std::int64_t label) {
    ++all;
    if (label == likely.at(pair)) {
      ++as_likely;
    } else {
      EXPECT_EQ(other.emplace(pair, label).first->second, label);
    }
  });
  const double sd = std::sqrt(0.65 * 0.35 / all);
  EXPECT_NEAR(static_cast<double>(as_likely) / all, 0.65, 4 * sd);
}

TEST(TokenTask, LabelsAreTheTokensThatFollow) {
  const auto task = make_token_task({.evaluation_samples = 1});
  const Examples samples = task->training(2, 5, 20);
  for (std::size_t i = 1; i < samples.tokens.size(); ++i) {
    if (i % 32 < 2) continue;
    EXPECT_EQ(samples.labels[i - 1], samples.tokens[i]);
  }
}

class FileTask : public ::testing::Test {
 protected:
  template <class Value>
  std::string write(const char* name, const std::vector<std::int64_t>& shape,
                    const std::vector<Value>& values) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        << pruning::npy_text(shape, std::span<const Value>(values));
    return path;
  }
  std::unique_ptr<Task> images(const std::vector<std::int64_t>& shape,
                               const std::vector<std::int64_t>& labels) const {
    std::vector<float> values(static_cast<std::size_t>(pruning::element_count(shape)));
    std::iota(values.begin(), values.end(), 0.0F);
    const auto count = static_cast<std::int64_t>(labels.size());
    return make_file_task({write("x.npy", shape, values), write("y.npy", {count}, labels), 0.25},
                          load_network("tiny_resnet9"));
  }
  TemporaryDirectory folder_;
};

TEST_F(FileTask, PutsChannelsLastAndHoldsTheLastSamplesBack) {
  const auto task = images({4, 3, 16, 16}, {7, 8, 9, 1});
  EXPECT_EQ(task->evaluation().count, 1);
  EXPECT_EQ(task->evaluation().labels, (std::vector<std::int64_t>{1}));
  // Sample 3, pixel 0: one value of each channel.
  EXPECT_EQ(task->evaluation().pixels[0], 3 * 768);
  EXPECT_EQ(task->evaluation().pixels[1], 3 * 768 + 256);
  EXPECT_EQ(task->evaluation().pixels[2], 3 * 768 + 512);
  EXPECT_EQ(task->evaluation().pixels[3], 3 * 768 + 1);
}

TEST_F(FileTask, GivesEverySampleOnceInAPass) {
  const auto task = images({8, 3, 16, 16}, {0, 1, 2, 3, 4, 5, 6, 7});
  for (const std::int64_t pass : {0, 1, 2}) {
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < 6; i += 2) {
      const Examples batch = task->training(1, 6 * pass + i, 2);
      labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
      EXPECT_EQ(batch.pixels[0], static_cast<float>(768 * batch.labels[0]));
    }
    std::ranges::sort(labels);
    EXPECT_EQ(labels, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  }
}

TEST_F(FileTask, ReadsTokensAndWhatIsNotAsked) {
  std::vector<std::int64_t> tokens(2 * 32, 3);
  std::vector<std::int64_t> labels(2 * 32, 4);
  labels[1] = -1;
  const auto task =
      make_file_task({write("t.npy", {2, 32}, tokens), write("l.npy", {2, 32}, labels), 0.5},
                     load_network("tiny_transformer"));
  const Examples batch = task->training(1, 0, 1);
  EXPECT_EQ(batch.tokens, std::vector<std::int64_t>(32, 3));
  EXPECT_EQ(batch.labels[0], 4);
  EXPECT_EQ(batch.labels[1], kNoLabel);
}

TEST_F(FileTask, SaysWhatDoesNotFitTheNetwork) {
  const auto error = [&](const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& labels) {
    return message_of<ConfigError>([&] { (void)images(shape, labels); });
  };
  EXPECT_THAT(error({2, 16, 16, 3}, {0, 1}),
              HasSubstr("x.npy: error: has the shape 2x16x16x3, must be samples x 3 channels x 16 "
                        "x 16"));
  EXPECT_THAT(error({2, 3, 16, 16}, {0}), HasSubstr("y.npy: error: has 1 samples"));
  EXPECT_THAT(error({2, 3, 16, 16}, {0, 10}),
              HasSubstr("y.npy: error: element [1] is 10, must be a whole number from 0 to 9"));
  EXPECT_THAT(error({1, 3, 16, 16}, {0}), HasSubstr("x.npy: error: has one sample"));
}

TEST_F(FileTask, TakesBytesAs255ths) {
  std::string text = pruning::npy_text({2, 3, 16, 16}, std::vector<float>(2 * 768));
  const std::size_t type = text.find("'<f4'");
  text.replace(type, 5, "'|u1'");
  text.resize(text.size() - 2 * 768 * 3);  // a byte instead of four
  text.back() = '\x33';                    // 51 = 255 / 5
  const std::string path = folder_ / "bytes.npy";
  std::ofstream(path, std::ios::binary) << text;
  const std::string labels = write("y.npy", {2}, std::vector<std::int64_t>{0, 1});
  const auto task = make_file_task({path, labels, 0.5}, load_network("tiny_resnet9"));
  EXPECT_EQ(task->evaluation().pixels.back(), 0.2F);
}

}  // namespace
}  // namespace stcsim::training
