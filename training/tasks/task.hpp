#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/config_field.hpp"
#include "workloads/layer.hpp"

namespace stcsim::training {

/// A label that is not scored.
inline constexpr std::int64_t kNoLabel = -100;

/// Samples and what is asked of them.
struct Examples {
  std::int64_t count = 0;
  /// Images: count x height x width x channels.
  std::vector<float> pixels;
  /// Token sequences: count x length.
  std::vector<std::int64_t> tokens;
  /// Images: a class each; sequences: one per token, kNoLabel where nothing is asked.
  std::vector<std::int64_t> labels;

  /// Samples begin ... begin + number - 1.
  [[nodiscard]] Examples part(std::int64_t begin, std::int64_t number) const;
};

/// The thing a network is to learn.
class Task {
 public:
  virtual ~Task() = default;

  /// Training samples first ... first + count - 1 of a run with that seed.
  [[nodiscard]] virtual Examples training(std::uint64_t seed, std::int64_t first,
                                          std::int64_t count) const = 0;
  /// The examples that every run of the task is evaluated on.
  [[nodiscard]] virtual const Examples& evaluation() const = 0;
  /// Classes that labels number.
  [[nodiscard]] virtual std::int64_t classes() const = 0;
};

/// Keys of both generated tasks.
struct GeneratedTask {
  template <class Visitor>
  static void visit(Visitor& visitor, auto& seed, auto& evaluation_samples) {
    constexpr std::int64_t kMost = 1'000'000'000;
    visitor.field(field::of("seed", "count", "of the task").from(0, kMost).optional(), seed);
    visitor.field(field::of("evaluation_samples", "count", "that runs are evaluated on")
                      .from(1, kMost)
                      .optional(),
                  evaluation_samples);
  }
};

/// Generated images of 10 classes, 16x16x3: five shapes, filled with one of two gratings. No linear
/// classifier of the pixels does better than chance.
struct ImageTaskOptions {
  /// Standard deviation of the noise of each pixel.
  double noise = 0.15;
  /// Part of the training labels that are replaced by random ones.
  double label_noise = 0;
  /// Another grating behind the shape.
  bool distractor = false;
  std::uint64_t seed = 1;
  std::int64_t evaluation_samples = 4000;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::real("noise", "its standard deviation at each pixel").from(0, 100).optional(),
        self.noise);
    visitor.field(field::real("label_noise", "part of the training labels that are random")
                      .from(0, 1)
                      .optional(),
                  self.label_noise);
    visitor.field(field::flag("distractor", "another grating behind the shape").optional(),
                  self.distractor);
    GeneratedTask::visit(visitor, self.seed, self.evaluation_samples);
  }
};
[[nodiscard]] std::unique_ptr<Task> make_image_task(const ImageTaskOptions& options);

/// Generated sequences of a second-order grammar of 16 tokens: the token that follows two others is
/// the one of table A with probability `likely`, else that of table B. Networks are trained on the
/// token that follows and scored against A.
struct TokenTaskOptions {
  std::int64_t vocabulary = 16;
  std::int64_t length = 32;
  double likely = 0.65;
  std::uint64_t seed = 1;
  std::int64_t evaluation_samples = 128;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::real("likely", "probability of table A").from(0, 1).optional(),
                  self.likely);
    GeneratedTask::visit(visitor, self.seed, self.evaluation_samples);
  }
};
[[nodiscard]] std::unique_ptr<Task> make_token_task(const TokenTaskOptions& options);

/// The user's own NumPy files.
struct FileTaskOptions {
  /// Images: samples x channels x height x width, fp32, fp16 or bytes (of 255); tokens: samples x
  /// tokens, whole numbers.
  std::string inputs;
  /// Images: samples; tokens: samples x tokens, negative where nothing is asked.
  std::string labels;
  /// The last of the samples, which are not trained on.
  double evaluation_share = 0.1;
  static constexpr double kMostShare = 0.9;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("inputs", "a NumPy file, from the experiment's folder on"),
                  self.inputs);
    visitor.field(field::text("labels", "the same"), self.labels);
    visitor.field(field::real("evaluation_share", "of the samples, the last, not trained on")
                      .above(0, 0)
                      .up_to(kMostShare)
                      .optional(),
                  self.evaluation_share);
  }
};
/// @throws ConfigError that names the file and what does not fit the network
[[nodiscard]] std::unique_ptr<Task> make_file_task(const FileTaskOptions& options,
                                                   const Network& network);

}  // namespace stcsim::training
