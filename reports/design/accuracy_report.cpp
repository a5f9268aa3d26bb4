#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/design/design_report.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/tta/tta_report.hpp"

namespace stcsim {
namespace {

std::string loss_text(const KnownLoss& known) {
  return known.error == 0 ? fmt::format("{:.2g}", known.points)
                          : fmt::format("{:.2f} ± {:.2f}", known.points, known.error);
}

std::string within_text(const KnownLoss& known, double most) {
  if (known.is_surely_within(most)) return "yes";
  return known.may_be_within(most) ? "may be" : "no";
}

/// "sdgp-8:32, widths x2: 9.31 min, 12.1 % less than dense, area 1.05, 0.00 ± 0.41 points below
/// dense (source)"
std::string point_text(const AccuracyDesign& design, std::size_t at) {
  const AccuracyPoint& point = design.points[at];
  const double saved = 1 - point.hours / design.points.front().hours;
  std::string text =
      fmt::format("{}, {}: {}, {} {} than dense to begin with, area {:.3f}", point.scheme,
                  point.machine, format_hours(point.hours), format_percent(std::abs(saved)),
                  saved < 0 ? "more" : "less", point.area_ratio);
  if (point.scheme == kBaselineScheme) return text;
  return text +
         fmt::format(", {} points below dense ({})", loss_text(*point.known), point.known->source);
}

std::string accuracy_head(const AccuracyDesign& design) {
  std::string text = fmt::format(
      "{}\nasked for: the shortest training, at most {:.3g} points "
      "below dense{}\n",
      design.title, design.most_loss,
      design.dense_end ? fmt::format(", which ends at {:.4g} %", *design.dense_end) : "");
  if (!design.is_distinguishable) {
    text += "answer: not distinguishable: no loss is known that exactly, so no winner is named\n";
  } else {
    text += fmt::format("answer: {}\n", point_text(design, design.sure));
  }
  if (design.is_distinguishable && design.possible != design.sure) {
    text += fmt::format("may be, but nobody knows: {}\n", point_text(design, design.possible));
  }
  return text + fmt::format("losses: {}\n", design.evidence);
}

/// The fastest first.
Table front_table(const AccuracyDesign& design) {
  Table table({{"scheme"},
               {"machine"},
               {"loss, points", Align::right},
               {"within"},
               {"training", Align::right},
               {"of dense", Align::right},
               {"kJ", Align::right},
               {"area", Align::right}});
  std::vector<const AccuracyPoint*> front;
  for (const AccuracyPoint& point : design.points) {
    if (point.is_on_front) front.push_back(&point);
  }
  std::ranges::stable_sort(front, {}, [](const AccuracyPoint* point) { return point->hours; });
  for (const AccuracyPoint* const point : front) {
    table.add_row({point->scheme, point->machine, loss_text(*point->known),
                   within_text(*point->known, design.most_loss), format_hours(point->hours),
                   format_percent(point->hours / design.points.front().hours),
                   point->joules ? format_significant(*point->joules / 1000) : "?",
                   fmt::format("{:.3f}", point->area_ratio)});
  }
  return table;
}

std::string front_note(const AccuracyDesign& design) {
  const auto unknown =
      std::ranges::count_if(design.points, [](const AccuracyPoint& point) { return !point.known; });
  return fmt::format(
      "Of {} points, those that no other beats in hours, joules, area and loss; of {} the loss is "
      "unknown.\n",
      design.points.size(), unknown);
}

}  // namespace

std::string accuracy_design_text(const AccuracyDesign& design, std::size_t width) {
  return wrap_lines(accuracy_head(design), width) + "\n" + front_table(design).to_string(width) +
         wrap_lines(front_note(design), width);
}

std::string accuracy_design_markdown(const AccuracyDesign& design) {
  return markdown_list(accuracy_head(design)) + "\n" + front_table(design).to_markdown() + "\n" +
         front_note(design);
}

}  // namespace stcsim
