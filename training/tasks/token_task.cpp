#include "common/counts.hpp"
#include "training/tasks/draws.hpp"
#include "training/tasks/task.hpp"

namespace stcsim::training {
namespace {

class TokenTask final : public Task {
 public:
  explicit TokenTask(const TokenTaskOptions& options)
      : options_(options), tables_seed_(Draws::mix(options.seed)) {
    const std::int64_t tokens = options.vocabulary;
    Draws draws(tables_seed_, ~std::uint64_t{0});
    for (std::int64_t pair = 0; pair < tokens * tokens; ++pair) {
      const std::int64_t likely = draws.below(tokens);
      likely_.push_back(likely);
      other_.push_back((likely + 1 + draws.below(tokens - 1)) % tokens);
    }
    evaluation_ = make(tables_seed_, 0, options.evaluation_samples, true);
  }

  [[nodiscard]] Examples training(std::uint64_t seed, std::int64_t first,
                                  std::int64_t count) const override {
    return make(tables_seed_ + Draws::mix(seed + 1), first, count, false);
  }
  [[nodiscard]] const Examples& evaluation() const override { return evaluation_; }
  [[nodiscard]] std::int64_t classes() const override { return options_.vocabulary; }

 private:
  /// @param scores ask for the likely token, not for the one that follows
  [[nodiscard]] Examples make(std::uint64_t seed, std::int64_t first, std::int64_t count,
                              bool scores) const {
    Examples examples;
    examples.count = count;
    for (std::int64_t index = 0; index < count; ++index) {
      Draws draws(seed, static_cast<std::uint64_t>(first + index));
      std::int64_t previous = 0;
      std::int64_t current = draws.below(options_.vocabulary);
      examples.tokens.push_back(previous);
      examples.labels.push_back(kNoLabel);  // the second token follows from nothing
      for (std::int64_t at = 1; at < options_.length; ++at) {
        const auto pair = as_size(previous * options_.vocabulary + current);
        const std::int64_t next = draws.unit() < options_.likely ? likely_[pair] : other_[pair];
        examples.tokens.push_back(current);
        examples.labels.push_back(scores ? likely_[pair] : next);
        previous = current;
        current = next;
      }
    }
    return examples;
  }

  TokenTaskOptions options_;
  std::uint64_t tables_seed_;
  std::vector<std::int64_t> likely_;
  std::vector<std::int64_t> other_;
  Examples evaluation_;
};

}  // namespace

std::unique_ptr<Task> make_token_task(const TokenTaskOptions& options) {
  return std::make_unique<TokenTask>(options);
}

Examples Examples::part(std::int64_t begin, std::int64_t number) const {
  const auto slice = [&](const auto& all) {
    const std::ptrdiff_t each = std::ssize(all) / count;
    return std::decay_t<decltype(all)>(all.begin() + begin * each,
                                       all.begin() + (begin + number) * each);
  };
  return {number, slice(pixels), slice(tokens), slice(labels)};
}

}  // namespace stcsim::training
