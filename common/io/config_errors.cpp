#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

#include "common/io/problems.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kMostShown = 20;

/// What several errors say, a line each.
class JoinedErrors : public ConfigError {
 public:
  explicit JoinedErrors(std::string lines) : ConfigError(""), lines_(std::move(lines)) {}
  [[nodiscard]] const char* what() const noexcept override { return lines_.c_str(); }

 private:
  std::string lines_;
};

}  // namespace

std::vector<std::string> lines_of(const ConfigError& error) {
  std::string text = error.what();
  if (dynamic_cast<const JoinedErrors*>(&error) == nullptr) {
    std::ranges::replace(text, '\n', ' ');
    return {text};
  }
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void ConfigErrors::add(const ConfigError& error) {
  for (std::string& line : lines_of(error)) {
    if (std::ranges::find(lines_, line) == lines_.end()) lines_.push_back(std::move(line));
  }
}

void ConfigErrors::refuse() const {
  if (lines_.empty()) return;
  std::string text;
  for (std::size_t at = 0; at < std::min(lines_.size(), kMostShown); ++at) {
    text += (at == 0 ? "" : "\n") + lines_[at];
  }
  if (lines_.size() > kMostShown) {
    text += "\nerror: and " + std::to_string(lines_.size() - kMostShown) + " more";
  }
  throw JoinedErrors(std::move(text));
}

}  // namespace stcsim
