#include "common/io/problems.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stcsim {
namespace {

constexpr std::size_t kMostErrors = 20;

/// What several errors say, a line each.
class JoinedErrors : public ConfigError {
 public:
  explicit JoinedErrors(std::string lines) : ConfigError(""), lines_(std::move(lines)) {}
  [[nodiscard]] const char* what() const noexcept override { return lines_.c_str(); }

 private:
  std::string lines_;
};

}  // namespace

void Problems::add(const std::string& problem) {
  if (std::ranges::find(problems_, problem) != problems_.end()) return;
  if (problems_.size() < kMostShown) {
    problems_.push_back(problem);
  } else {
    ++more_;
  }
}

void Problems::refuse() const {
  if (problems_.empty()) return;
  const std::string more = more_ == 0 ? "" : fmt::format("; and {} more", more_);
  throw ConfigError(
      {file_}, fmt::format("not usable as {}: {}{}", taken_for_, fmt::join(problems_, "; "), more));
}

void Problems::fail(const std::string& problem) {
  add(problem);
  refuse();
  throw ConfigError({file_}, problem);
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

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
  for (std::size_t at = 0; at < std::min(lines_.size(), kMostErrors); ++at) {
    text += (at == 0 ? "" : "\n") + lines_[at];
  }
  if (lines_.size() > kMostErrors) {
    text += "\nerror: and " + std::to_string(lines_.size() - kMostErrors) + " more";
  }
  throw JoinedErrors(std::move(text));
}

}  // namespace stcsim
