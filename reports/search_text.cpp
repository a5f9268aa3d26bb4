#include "reports/search_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/format.hpp"
#include "common/io/json_text.hpp"

namespace stcsim {

std::string search_text(const std::optional<KernelSearch>& search, bool is_named) {
  if (!search) return is_named ? "it was named" : "it was chosen by the library's rule";
  std::string text = fmt::format("{} could run it, {} simulated, {} known not to be faster",
                                 format_count(search->possible), format_count(search->simulated),
                                 format_count(search->cannot_win));
  if (search->is_exact()) return text + ": the choice is exact";
  text += fmt::format(", {} left out: none of these saves more than {} of the time",
                      format_count(search->left_out), format_percent(search->regret_at_most));
  if (!search->left_out_estimate) return text;
  return text + fmt::format("; by estimate the best takes {:.2f} times as long",
                            *search->left_out_estimate);
}

nlohmann::ordered_json search_json(const std::optional<KernelSearch>& search) {
  using nlohmann::ordered_json;
  if (!search) return nullptr;
  const auto& estimate = search->left_out_estimate;
  return {{"possible", search->possible},
          {"simulated", search->simulated},
          {"cannot_win", search->cannot_win},
          {"left_out", search->left_out},
          {"regret_at_most", json_number(search->regret_at_most, "regret_at_most")},
          {"left_out_estimate",
           estimate ? json_number(*estimate, "left_out_estimate") : ordered_json()}};
}

}  // namespace stcsim
