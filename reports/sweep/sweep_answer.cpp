#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "curves/time_to_accuracy.hpp"
#include "reports/sweep/sweep_table.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Fronts of more have their ends and their knee in the table; works of more are counted.
constexpr std::size_t kShownOfFront = 12;
constexpr std::size_t kShownWorks = 3;

/// An axis that is chosen, and its values in the space's order.
struct ChosenAxis {
  std::string key;
  AxisWords words;
  std::vector<std::string> values = {};
};

/// One value of each axis that is chosen.
struct Choice {
  std::vector<std::string> values;
  double area = 0;
  std::map<std::string, double> gains = {};  // by work
  double gain = 0;                           // their geometric mean
};

/// The first axis of each dimension that varies, for those zipped with it.
std::vector<ChosenAxis> chosen_axes(const Space& space, const std::vector<ordered_json>& rows) {
  const std::vector<std::string> names = names_of(space.axes);
  std::vector<ChosenAxis> chosen;
  for (const Dimension& dimension : space.dimensions) {
    const std::string& name = space.axes[dimension.axes.front()].name;
    if (is_axis_of_work(name)) continue;
    const bool is_named = !dimension.name.empty();
    ChosenAxis axis{name, is_named ? AxisWords{dimension.name, ""} : axis_words(name, names)};
    for (const ordered_json& row : rows) {
      const std::string value = cell_of(row, name);
      if (std::ranges::find(axis.values, value) == axis.values.end()) axis.values.push_back(value);
    }
    if (axis.values.size() > 1) chosen.push_back(std::move(axis));
  }
  return chosen;
}

double geometric_mean(const std::map<std::string, double>& values) {
  double sum = 0;
  for (const auto& [name, value] : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Those that have all of the work.
std::vector<Choice> choices_of(const std::vector<ordered_json>& rows,
                               const std::vector<ChosenAxis>& axes, const Space& space) {
  std::map<std::vector<std::string>, Choice> all;
  std::size_t works = 0;
  for (const ordered_json& row : rows) {
    if (!row.contains(kSpeedupKey.name) || !row.at(kSpeedupKey.name).is_number()) continue;
    std::vector<std::string> values;
    for (const ChosenAxis& axis : axes) values.push_back(cell_of(row, axis.key));
    Choice& choice = all.try_emplace(values, Choice{values}).first->second;
    choice.area = row.at("area_mm2").get<double>();
    choice.gains[work_of(row, space)] = row.at(kSpeedupKey.name).get<double>();
    works = std::max(works, choice.gains.size());
  }
  std::vector<Choice> complete;
  for (auto& [values, choice] : all) {
    choice.gain = geometric_mean(choice.gains);
    if (choice.gains.size() == works) complete.push_back(std::move(choice));
  }
  return complete;
}

/// Not beaten, from the least area to the fastest; of equal ones the first.
std::vector<Choice> front_of(const std::vector<Choice>& choices) {
  std::vector<std::vector<double>> costs;
  for (const Choice& choice : choices) costs.push_back({choice.area, -choice.gain});
  std::vector<Choice> front;
  for (const std::size_t at : curves::pareto_front(costs)) {
    const bool is_equal = !front.empty() && front.back().area == choices[at].area;
    if (!is_equal) front.push_back(choices[at]);
  }
  return front;
}

/// The place of the knee; the last one where no choice lies above the line between both ends.
std::size_t knee_of(const std::vector<Choice>& front) {
  const Choice& first = front.front();
  const Choice& last = front.back();
  std::size_t knee = front.size() - 1;
  double most = 0;
  for (std::size_t at = 1; at + 1 < front.size(); ++at) {
    const double height = (front[at].gain - first.gain) / (last.gain - first.gain) -
                          (front[at].area - first.area) / (last.area - first.area);
    if (height > most) knee = at;
    most = std::max(most, height);
  }
  return knee;
}

std::string front_table(const std::vector<Choice>& front, const std::vector<ChosenAxis>& axes,
                        std::size_t width) {
  std::vector<Column> columns{{""}};
  for (const ChosenAxis& axis : axes) columns.push_back({axis.words.text(), Align::right});
  for (const char* const header : {"area mm2", "gain"}) columns.push_back({header, Align::right});
  const std::size_t works = front.front().gains.size();
  const bool are_shown = works > 1 && works <= kShownWorks;
  for (const auto& [work, gain] : front.front().gains) {
    if (are_shown) columns.push_back({work, Align::right, 1});
  }
  Table table(columns);
  const std::size_t knee = knee_of(front);
  for (std::size_t at = 0; at < front.size(); ++at) {
    const Choice& choice = front[at];
    std::vector<std::string> cells{at + 1 == front.size() ? "fastest"
                                   : at == 0              ? "least area"
                                   : at == knee           ? "knee"
                                                          : ""};
    if (cells.front().empty() && front.size() > kShownOfFront) continue;
    cells.insert(cells.end(), choice.values.begin(), choice.values.end());
    cells.push_back(fmt::format("{:.1f}", choice.area));
    cells.push_back(format_speedup(choice.gain));
    for (const auto& [work, gain] : choice.gains) {
      if (are_shown) cells.push_back(format_speedup(gain));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string(width);
}

/// The logarithm of what the value of an axis that does most makes of the gain that the first one
/// gives, all else equal, and that in words.
std::pair<double, std::string> effect_of(std::size_t place, const ChosenAxis& axis,
                                         const std::vector<Choice>& choices) {
  std::map<std::vector<std::string>, std::map<std::string, double>> groups;
  for (const Choice& choice : choices) {
    std::vector<std::string> others = choice.values;
    others[place] = "";
    groups[others][choice.values[place]] = choice.gain;
  }
  const std::string& first = axis.values.front();
  std::pair<double, std::string> most{0, axis.values.back()};
  for (const std::string& value : axis.values) {
    std::map<std::string, double> ratios;
    for (const auto& [others, gains] : groups) {
      if (!gains.contains(first) || !gains.contains(value)) continue;
      ratios[fmt::format("{}", ratios.size())] = gains.at(value) / gains.at(first);
    }
    const double effect = ratios.empty() ? 0 : std::log(geometric_mean(ratios));
    if (std::abs(effect) > std::abs(most.first)) most = {effect, value};
  }
  return {most.first, fmt::format("{} {:+.1f} %", axis.words.with(first + " -> " + most.second),
                                  100 * std::expm1(most.first))};
}

std::string effects_line(const std::vector<ChosenAxis>& axes, const std::vector<Choice>& choices) {
  std::vector<std::pair<double, std::string>> effects;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    effects.push_back(effect_of(at, axes[at], choices));
  }
  std::ranges::stable_sort(effects, std::greater(),
                           [](const auto& effect) { return std::abs(effect.first); });
  std::string text;
  for (const auto& [effect, words] : effects) text += (text.empty() ? "" : "; ") + words;
  return text.empty() ? "" : "what pays, all else equal: " + text + "\n";
}

std::string works_text(const std::map<std::string, double>& works) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [work, gain] : works) {
    if (count++ < kShownWorks) text += (text.empty() ? "" : ", ") + work;
  }
  if (count > kShownWorks) text += fmt::format(" and {} more", count - kShownWorks);
  if (count > 1) return " over " + text + " (geometric mean)";
  return text.empty() ? "" : " of " + text;
}

std::string answer_over(const Space& space, const std::vector<ordered_json>& rows,
                        const std::string& pattern, std::size_t width) {
  const std::vector<ChosenAxis> axes = chosen_axes(space, rows);
  const std::vector<Choice> choices = choices_of(rows, axes, space);
  if (choices.empty()) return "";
  const std::vector<Choice> front = front_of(choices);
  const Choice& best = front.back();
  std::string with;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    with += (at == 0 ? ": " : ", ") + axes[at].words.with(best.values[at]);
  }
  const std::string head = fmt::format(
      "{}{}: at best {} of dense{}{}\n{} of {} choices are beaten by none in area and gain\n",
      space.name, pattern.empty() ? "" : ", " + pattern, format_speedup(best.gain),
      works_text(best.gains), with, front.size(), choices.size());
  return wrap_lines(head, width) + "\n" + front_table(front, axes, width) +
         wrap_lines(effects_line(axes, choices), width);
}

}  // namespace

std::string sweep_answer(const Space& space, const SweepTable& table, bool each,
                         std::size_t width) {
  std::map<std::array<std::string, 3>, std::vector<ordered_json>> parts;
  for (const ordered_json& row : table.rows) {
    const std::string work = each ? work_of(row, space) : "";
    parts[{cell_of(row, "kind"), work, pattern_of(row, space)}].push_back(row);
  }
  std::string text;
  for (const auto& [part, rows] : parts) {
    const std::string answer = answer_over(space, rows, part[2], width);
    text += (text.empty() || answer.empty() ? "" : "\n") + answer;
  }
  return text;
}

}  // namespace stcsim
