#include "reports/sweep/sweep_answer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "curves/time_to_accuracy.hpp"
#include "reports/sweep/axis_words.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

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

  [[nodiscard]] double gain() const {
    double sum = 0;
    for (const auto& [work, one] : gains) sum += std::log(one);
    return std::exp(sum / static_cast<double>(gains.size()));
  }
};

/// The first axis of each dimension that varies, for those zipped with it.
std::vector<ChosenAxis> chosen_axes(const Space& space, const std::vector<ordered_json>& rows) {
  std::vector<std::string> names;
  for (const Axis& axis : space.axes) names.push_back(axis.name);
  std::vector<ChosenAxis> chosen;
  for (const Dimension& dimension : space.dimensions) {
    const std::string& name = space.axes[dimension.axes.front()].name;
    if (is_axis_of_work(name)) continue;
    ChosenAxis axis{name, axis_words(name, names)};
    if (!dimension.name.empty()) axis.words = {dimension.name, ""};
    for (const ordered_json& row : rows) {
      const std::string value = cell_of(row, name);
      if (std::ranges::find(axis.values, value) == axis.values.end()) axis.values.push_back(value);
    }
    if (axis.values.size() > 1) chosen.push_back(std::move(axis));
  }
  return chosen;
}

/// Those that have all of the work.
std::vector<Choice> choices_of(const std::vector<ordered_json>& rows,
                               const std::vector<ChosenAxis>& axes, const Space& space) {
  std::map<std::vector<std::string>, Choice> all;
  std::size_t works = 0;
  for (const ordered_json& row : rows) {
    if (!row.contains("speedup") || !row.at("speedup").is_number()) continue;
    std::vector<std::string> values;
    for (const ChosenAxis& axis : axes) values.push_back(cell_of(row, axis.key));
    Choice& choice = all.try_emplace(values, Choice{values}).first->second;
    choice.area = row.at("area_mm2").get<double>();
    choice.gains[work_of(row, space)] = row.at("speedup").get<double>();
    works = std::max(works, choice.gains.size());
  }
  std::vector<Choice> complete;
  for (auto& [values, choice] : all) {
    if (choice.gains.size() == works) complete.push_back(std::move(choice));
  }
  return complete;
}

/// Not beaten, from the least area to the fastest; of equal ones the first.
std::vector<Choice> front_of(const std::vector<Choice>& choices) {
  std::vector<std::vector<double>> costs;
  for (const Choice& choice : choices) costs.push_back({choice.area, -choice.gain()});
  std::vector<Choice> front;
  for (const std::size_t at : curves::pareto_front(costs)) {
    const bool is_equal = !front.empty() && front.back().area == choices[at].area;
    if (!is_equal) front.push_back(choices[at]);
  }
  return front;
}

/// The place of the knee; the last one where no choice lies above the line between both ends.
std::size_t knee_of(const std::vector<Choice>& front) {
  const auto height = [&](const Choice& choice) {
    const double area = front.back().area - front.front().area;
    const double gain = front.back().gain() - front.front().gain();
    return (choice.gain() - front.front().gain()) / gain -
           (choice.area - front.front().area) / area;
  };
  std::size_t knee = front.size() - 1;
  for (std::size_t at = 1; at + 1 < front.size(); ++at) {
    if (height(front[at]) > std::max(0.0, height(front[knee]))) knee = at;
  }
  return knee;
}

std::string front_table(const std::vector<Choice>& front, const std::vector<ChosenAxis>& axes,
                        std::size_t width) {
  std::vector<Column> columns{{""}};
  for (const ChosenAxis& axis : axes) columns.push_back({axis.words.text(), Align::right});
  columns.push_back({"area mm2", Align::right});
  columns.push_back({"gain", Align::right});
  const auto& works = front.front().gains;
  const bool are_shown = works.size() > 1 && works.size() <= kShownWorks;
  for (const auto& [work, gain] : works) {
    if (are_shown) columns.push_back({work, Align::right, 1});
  }
  Table table(columns);
  const std::size_t knee = knee_of(front);
  const std::size_t step = front.size() / kShownOfFront + 1;
  for (std::size_t at = 0; at < front.size(); ++at) {
    const bool is_end = at == 0 || at + 1 == front.size() || at == knee;
    if (!is_end && at % step != 0) continue;
    std::vector<std::string> cells{at + 1 == front.size() ? "fastest"
                                   : at == 0              ? "least area"
                                   : at == knee           ? "knee"
                                                          : ""};
    cells.insert(cells.end(), front[at].values.begin(), front[at].values.end());
    cells.push_back(fmt::format("{:.1f}", front[at].area));
    cells.push_back(format_speedup(front[at].gain()));
    for (const auto& [work, gain] : front[at].gains) {
      if (are_shown) cells.push_back(format_speedup(gain));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string(width);
}

/// What the value of an axis that does most makes of the gain that the first one gives.
struct AxisEffect {
  std::string text;
  double ratio = 1;
};

AxisEffect effect_of(std::size_t place, const ChosenAxis& axis,
                     const std::vector<Choice>& choices) {
  std::map<std::vector<std::string>, std::map<std::string, double>> groups;
  for (const Choice& choice : choices) {
    std::vector<std::string> others = choice.values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    groups[others][choice.values[place]] = choice.gain();
  }
  AxisEffect most;
  for (const std::string& value : axis.values) {
    double sum = 0;
    double count = 0;
    for (const auto& [others, gains] : groups) {
      const auto base = gains.find(axis.values.front());
      const auto one = gains.find(value);
      if (base == gains.end() || one == gains.end()) continue;
      sum += std::log(one->second / base->second);
      ++count;
    }
    const double ratio = count > 0 ? std::exp(sum / count) : 1;
    const bool is_last = most.text.empty() && value == axis.values.back();
    if (std::abs(std::log(ratio)) <= std::abs(std::log(most.ratio)) && !is_last) continue;
    const std::string change = axis.words.with(axis.values.front() + " -> " + value);
    most = {fmt::format("{} {:+.1f} %", change, 100 * (ratio - 1)), ratio};
  }
  return most;
}

std::string effects_line(const std::vector<ChosenAxis>& axes, const std::vector<Choice>& choices) {
  std::vector<AxisEffect> effects;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    effects.push_back(effect_of(at, axes[at], choices));
  }
  std::ranges::stable_sort(effects, std::greater(), [](const AxisEffect& effect) {
    return std::abs(std::log(effect.ratio));
  });
  std::string text;
  for (const AxisEffect& effect : effects) text += (text.empty() ? "" : "; ") + effect.text;
  return text.empty() ? "" : "what pays, all else equal: " + text + "\n";
}

std::string works_text(const std::map<std::string, double>& works) {
  std::vector<std::string> names;
  for (const auto& [work, gain] : works) {
    if (names.size() < kShownWorks) names.push_back(work);
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (works.size() > kShownWorks) text += fmt::format(" and {} more", works.size() - kShownWorks);
  return works.size() > 1 ? " over " + text + " (geometric mean)"
         : text.empty()   ? ""
                          : " of " + text;
}

std::string answer_over(const Space& space, const std::vector<ordered_json>& rows,
                        std::size_t width) {
  const std::vector<ChosenAxis> axes = chosen_axes(space, rows);
  const std::vector<Choice> choices = choices_of(rows, axes, space);
  if (choices.empty()) return "";
  const std::vector<Choice> front = front_of(choices);
  const Choice& best = front.back();
  std::string with;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    with += (at == 0 ? ": " : ", ") + axes[at].words.with(best.values[at]);
  }
  return wrap_lines(
             fmt::format("{}: at best {} of dense{}{}\n{} of {} choices are beaten by none in "
                         "area and gain\n",
                         space.name, format_speedup(best.gain()), works_text(best.gains), with,
                         front.size(), choices.size()),
             width) +
         "\n" + front_table(front, axes, width) + wrap_lines(effects_line(axes, choices), width);
}

}  // namespace

std::string sweep_answer(const Space& space, const SweepTable& table, bool each,
                         const std::string& called, std::size_t width) {
  std::map<std::pair<std::string, std::string>, std::vector<ordered_json>> parts;
  for (const ordered_json& row : table.rows) {
    parts[{cell_of(row, "kind"), each ? work_of(row, space) : ""}].push_back(row);
  }
  std::string text;
  for (const auto& [part, rows] : parts) {
    const std::string answer = answer_over(space, rows, width);
    text += (text.empty() || answer.empty() ? "" : "\n") + answer;
  }
  if (text.empty()) return text;
  return text + fmt::format(
                    "next: stcsim sweep export {0} --format json --output {1}.json && \\\n"
                    "   stcsim page {1}.json -o {1}.html\n",
                    called, space.name);
}

}  // namespace stcsim
