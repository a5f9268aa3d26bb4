#include "common/io/problems.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"

namespace stcsim {

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
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

}  // namespace stcsim
