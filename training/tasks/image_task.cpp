#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "common/counts.hpp"
#include "training/tasks/draws.hpp"
#include "training/tasks/task.hpp"

namespace stcsim::training {
namespace {

constexpr std::int64_t kSide = 16;
constexpr std::int64_t kChannels = 3;
constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kShapes = 5;
constexpr double kPi = std::numbers::pi;

/// A wave over the image: sin(f (cos a x + sin a y) + phase).
struct Grating {
  double along_x = 0;
  double along_y = 0;
  double phase = 0;

  Grating(double frequency, double angle, double shift)
      : along_x(frequency * std::cos(angle)), along_y(frequency * std::sin(angle)), phase(shift) {}
  [[nodiscard]] double at(double x, double y) const {
    return std::sin(along_x * x + along_y * y + phase);
  }
};

/// Everything that is drawn of one image before its pixels' noise, in the order it is drawn.
struct Scene {
  std::int64_t label, shape;
  double centre_x, centre_y, radius, turn;
  std::array<double, kChannels> background, foreground;
  double slope_x, slope_y;
  Grating texture, distractor;
  double strength = 0;

  Scene(Draws& draws, bool has_distractor)
      : label(draws.below(kClasses)),
        shape(label % kShapes),
        centre_x(draws.uniform(5, 11)),
        centre_y(draws.uniform(5, 11)),
        radius(draws.uniform(3.5, 6)),
        turn(draws.uniform(-0.5, 0.5)),
        background(),
        foreground(),
        slope_x(0),
        slope_y(0),
        texture(0, 0, 0),
        distractor(0, 0, 0) {
    const double sign = draws.below(2) == 0 ? -1 : 1;
    for (std::size_t channel = 0; channel < as_size(kChannels); ++channel) {
      background[channel] = draws.uniform(-0.6, 0.6);
      foreground[channel] = background[channel] + sign * draws.uniform(0.3, 1.2);
    }
    slope_x = draws.uniform(-0.08, 0.08);
    slope_y = draws.uniform(-0.08, 0.08);
    texture = wave(draws, 1.4, static_cast<double>(label / kShapes) * kPi / 2);
    const double angle = draws.uniform(0, kPi);
    const double frequency = draws.uniform(1, 2.2);
    distractor = Grating(frequency, angle, draws.uniform(0, 2 * kPi));
    if (has_distractor) strength = draws.uniform(0, 0.5);
  }

  static Grating wave(Draws& draws, double least, double middle) {
    const double frequency = draws.uniform(least, 2.2);
    const double phase = draws.uniform(0, 2 * kPi);
    return {frequency, middle + draws.uniform(-0.45, 0.45), phase};
  }
};

/// Signed distance from the edge of a shape of radius 1.
double distance_of(std::int64_t shape, double u, double v) {
  const double x = std::abs(u);
  const double y = std::abs(v);
  switch (shape) {
    case 0:
      return std::hypot(u, v) - 1;  // disc
    case 1:
      return std::max(x, y) - 0.85;  // square
    case 2:
      return std::min(std::max(x, 3 * y), std::max(y, 3 * x)) - 1;  // cross
    case 3:
      return std::max(v - 0.7, 1.5 * x - 0.5 * v - 0.7);  // triangle
    default:
      return std::abs(std::hypot(u, v) - 0.75) - 0.27;  // ring
  }
}

/// The part of a pixel that the shape covers, 0 to 1.
double coverage(const Scene& scene, double row, double column) {
  const double x = (column + 0.5 - scene.centre_x) / scene.radius;
  const double y = (row + 0.5 - scene.centre_y) / scene.radius;
  const double u = std::cos(scene.turn) * x - std::sin(scene.turn) * y;
  const double v = std::sin(scene.turn) * x + std::cos(scene.turn) * y;
  return std::clamp(0.5 - distance_of(scene.shape, u, v) * scene.radius, 0.0, 1.0);
}

void draw_pixel(const Scene& scene, std::int64_t row, std::int64_t column, double noise,
                Draws& draws, float* pixel) {
  const auto i = static_cast<double>(row);
  const auto j = static_cast<double>(column);
  const double covered = coverage(scene, i, j);
  const double texture = 1 + 0.6 * scene.texture.at(j, i);
  const double behind = scene.slope_x * (j - 8) + scene.slope_y * (i - 8) +
                        (scene.strength == 0 ? 0 : scene.strength * scene.distractor.at(j, i));
  for (std::size_t channel = 0; channel < as_size(kChannels); ++channel) {
    const double background = scene.background[channel];
    const double shape = background + (scene.foreground[channel] - background) * texture;
    const double value = (1 - covered) * (background + behind) + covered * shape;
    pixel[channel] = static_cast<float>(value + noise * draws.gauss());
  }
}

class ImageTask final : public Task {
 public:
  explicit ImageTask(const ImageTaskOptions& options) : options_(options) {
    evaluation_ = make(Draws::mix(options.seed), 0, options.evaluation_samples, 0);
  }

  [[nodiscard]] Examples training(std::uint64_t seed, std::int64_t first,
                                  std::int64_t count) const override {
    return make(Draws::mix(options_.seed) + Draws::mix(seed + 1), first, count,
                options_.label_noise);
  }
  [[nodiscard]] const Examples& evaluation() const override { return evaluation_; }
  [[nodiscard]] std::int64_t classes() const override { return kClasses; }

 private:
  [[nodiscard]] Examples make(std::uint64_t seed, std::int64_t first, std::int64_t count,
                              double label_noise) const {
    constexpr std::int64_t kValues = kSide * kSide * kChannels;
    Examples examples;
    examples.count = count;
    examples.pixels.resize(as_size(count * kValues));
    for (std::int64_t index = 0; index < count; ++index) {
      Draws draws(seed, static_cast<std::uint64_t>(first + index));
      Scene scene(draws, options_.distractor);
      float* const image = &examples.pixels[as_size(index * kValues)];
      for (std::int64_t pixel = 0; pixel < kSide * kSide; ++pixel) {
        draw_pixel(scene, pixel / kSide, pixel % kSide, options_.noise, draws,
                   image + pixel * kChannels);
      }
      if (label_noise > 0 && draws.unit() < label_noise) scene.label = draws.below(kClasses);
      examples.labels.push_back(scene.label);
    }
    return examples;
  }

  ImageTaskOptions options_;
  Examples evaluation_;
};

}  // namespace

std::unique_ptr<Task> make_image_task(const ImageTaskOptions& options) {
  return std::make_unique<ImageTask>(options);
}

}  // namespace stcsim::training
