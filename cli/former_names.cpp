// Commands' names before 0.1.0, which it still takes.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace stcsim {
namespace {

using Words = std::vector<std::string>;

struct FormerName {
  std::string_view former;
  std::vector<std::string> now;
};

const std::array<FormerName, 6> kFormerNames{{{"validate", {"evidence", "rows"}},
                                              {"reproduce", {"evidence", "papers"}},
                                              {"claims", {"evidence", "papers", "claims"}},
                                              {"curves", {"tta", "--curves-only"}},
                                              {"config", {"list", "experiment"}},
                                              {"report", {"page"}}}};

bool names_a_gemm(const Words& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    const std::string option = word.substr(0, word.find('='));
    return option == "--m" || option == "--n" || option == "--k" || option == "--layer";
  });
}

/// `cost` of a GEMM, or of a machine alone, which is a plain argument today.
Words name_of_cost(Words& words) {
  if (names_a_gemm(words)) return {"gemm", "--energy"};
  const auto arch = std::ranges::find(words, "--arch");
  if (arch != words.end()) words.erase(arch);
  for (std::string& word : words) {
    if (word.starts_with("--arch=")) word = word.substr(word.find('=') + 1);
  }
  return {"list", "machine"};
}

}  // namespace

Words with_todays_names(Words words) {
  if (words.empty()) return words;
  const std::string first = words.front();
  Words now;
  for (const FormerName& name : kFormerNames) {
    if (name.former == first) now = name.now;
  }
  if (first == "cost") now = name_of_cost(words);
  if (now.empty()) return words;
  write_message("stcsim", fmt::format("'{}' is called '{}' now; the former name goes with 0.2",
                                      first, fmt::join(now, " ")));
  words.erase(words.begin());
  if (first == "config" && !words.empty() && words.front() == "show") words.erase(words.begin());
  words.insert(words.begin(), now.begin(), now.end());
  return words;
}

}  // namespace stcsim
