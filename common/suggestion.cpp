#include "common/suggestion.hpp"

#include <algorithm>
#include <numeric>

namespace stcsim {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  const auto same = [&](std::size_t i, std::size_t j) {
    return same_but_case(a.substr(i, 1), b.substr(j, 1));
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] =
          std::min({previous[j] + (same(i, j) ? 0U : 1U), previous[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) {
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> best = nearest(word, candidates, 1);
  if (best.empty()) return "";
  const std::size_t length = std::max(word.size(), best.front().size());
  const std::size_t distance = edit_distance(word, best.front());
  const bool alike = distance < length && distance <= std::max<std::size_t>(1, length / 3);
  return alike ? "; did you mean '" + best.front() + "'?" : "";
}

std::vector<std::string> nearest(std::string_view word, std::vector<std::string> candidates,
                                 std::size_t count) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [word](const std::string& left, const std::string& right) {
                     return edit_distance(word, left) < edit_distance(word, right);
                   });
  candidates.resize(std::min(count, candidates.size()));
  return candidates;
}

bool same_but_case(std::string_view left, std::string_view right) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char one, char other) { return lower(one) == lower(other); });
}

std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char one : text) {
    const auto letter = static_cast<unsigned char>(one);
    if (std::isalnum(letter) != 0) letters += static_cast<char>(std::tolower(letter));
  }
  return letters;
}

}  // namespace stcsim
