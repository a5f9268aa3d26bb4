#include "reports/design/design_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"

namespace stcsim {
namespace {

/// "+44 %", "-3 %"; "-" for nothing.
std::string format_gain(double gain) {
  const std::string text = fmt::format("{:+.0f} %", 100 * gain);
  return text == "+0 %" || text == "-0 %" ? "-" : text;
}

/// "+31 %", "+0.4 %"; "?" where nobody says.
std::string format_area(double share) {
  if (share == 0) return "?";
  return share < 0.01 ? fmt::format("{:+.1f} %", 100 * share)
                      : fmt::format("{:+.0f} %", 100 * share);
}

std::string dense_of_whom(const Design& design) {
  return design.against == Against::same ? "dense on the same machine"
                                         : "dense on the machine to begin with";
}

/// "3 GEMMs, 1:8 (at most 8.00x)".
std::string work_text(const Design& design) {
  if (design.of != WorkPart::gemm) {
    return fmt::format("{} of {} steps", to_string(design.of), design.work.size());
  }
  std::string text =
      fmt::format("{} GEMM{}", design.work.size(), design.work.size() == 1 ? "" : "s");
  if (!design.ideal) return text;
  return text + fmt::format(", {} (at most {})", design.work.front().gemm.a_pattern.to_string(),
                            format_speedup(*design.ideal));
}

std::string budgets_text(const Design& design) {
  std::vector<std::string> texts;
  for (const auto& [name, most] : design.question.budgets) {
    texts.push_back(fmt::format("{} at most {:.6g}", name, most));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string question_text(const Design& design) {
  const DesignQuestion& question = design.question;
  std::string text;
  if (!question.at_least) {
    text = "the fastest";
  } else if (question.at_least->is_share) {
    text = fmt::format("{} ({} of m/n) of {} with the least {}", format_speedup(design.goal),
                       format_percent(question.at_least->value), dense_of_whom(design),
                       question.least);
  } else {
    text = fmt::format("{} of {} with the least {}", format_speedup(design.goal),
                       dense_of_whom(design), question.least);
  }
  if (!question.budgets.empty()) text += ", " + budgets_text(design);
  return text;
}

/// "2.21x, 2.40x of dense to begin with, area 1.09, energy 0.620, 301 W"
std::string machine_text(const Design& design, const DesignMachine& machine) {
  std::string text =
      fmt::format("{}, {} of dense to begin with, area {}", format_speedup(machine.speedup_same),
                  format_speedup(machine.speedup_base), format_significant(machine.area_ratio));
  if (machine.work.joules && design.base.work.joules) {
    text += fmt::format(", energy {}, {:.0f} W",
                        format_significant(*machine.work.joules / *design.base.work.joules),
                        *machine.work.watts());
  }
  return text;
}

std::string bounds_text(const DesignMachine& machine) {
  std::vector<std::string> texts;
  for (const auto& [unit, share] : machine.work.bound_by) {
    texts.push_back(fmt::format("{} {:.0f} %", unit, 100 * share));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string answer_text(const Design& design) {
  const std::string machine = machine_text(design, design.answer);
  if (!design.question.at_least) return fmt::format("fastest: {}\n", machine);
  if (design.is_reached) return fmt::format("cheapest: {}\n", machine);
  const std::string bound = bounds_text(design.answer);
  return fmt::format("cannot be reached in this space; nearest: {}{}\n", machine,
                     bound.empty() ? "" : ", bound by " + bound);
}

std::string unevenness_text(const Design& design) {
  const DesignQuestion& question = design.question;
  if (question.is_exhaustive || design.unevenness <= question.slack) return "";
  return fmt::format(
      "note: a machine with more was slower by {}, more than the slack of {}: what was not "
      "simulated may hold a better one (--slack, --exhaustive)\n",
      format_percent(design.unevenness), format_percent(question.slack));
}

/// What grows for nothing, because nobody says what it takes.
std::string unknown_areas_text(const Design& design) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < design.resources.size(); ++at) {
    if (design.resources[at].area == 0) names.push_back(design.space.resources()[at].name);
  }
  if (names.empty()) return "";
  return fmt::format("note: {} has no area for {}: growing costs nothing in that\n",
                     design.area_table, fmt::join(names, ", "));
}

std::string head_of(const Design& design) {
  const Space& space = design.space.space();
  std::string text = fmt::format("space {}: {} machines; work: {}\nasked for: {}\n", space.name,
                                 design.machines, work_text(design), question_text(design));
  text += answer_text(design);
  text += fmt::format("to begin with: {}\nall at its largest: {}\n",
                      machine_text(design, design.base), machine_text(design, design.largest));
  text += fmt::format(
      "simulated: {} of {} machines to find it, the others follow from them; {} to explain it; "
      "areas: {}\n",
      design.searched, design.machines, design.simulated - design.searched, design.area_table);
  for (const std::string& reason : design.answer.work.reasons) text += "note: " + reason + "\n";
  return text + unknown_areas_text(design) + unevenness_text(design);
}

std::string label_at(const Design& design, std::size_t resource, std::size_t level) {
  const auto factor = level == 0 ? std::nullopt : design.space.factor(resource, level);
  return design.space.label(design.space.resources()[resource].axes.front(), level) +
         (factor ? fmt::format(" x{:.3g}", *factor) : "");
}

Table resources_table(const Design& design) {
  Table table({{"resource"},
               {"to begin with", Align::right},
               {"answer", Align::right},
               {"largest", Align::right},
               {"order", Align::right},
               {"alone", Align::right},
               {"area", Align::right},
               {"in the answer", Align::right},
               {"beyond it", Align::right}});
  const Lattice& lattice = design.space.lattice();
  for (std::size_t at = 0; at < design.resources.size(); ++at) {
    const ResourceGains& gains = design.resources[at];
    const std::size_t level = lattice.level(design.answer.machine, at);
    table.add_row(
        {design.space.resources()[at].name, label_at(design, at, 0),
         level == 0 ? "-" : label_at(design, at, level), label_at(design, at, lattice.size(at) - 1),
         gains.order == 0 ? "-" : std::to_string(gains.order), format_gain(gains.alone),
         format_area(gains.area), format_gain(gains.in_answer), format_gain(gains.beyond)});
  }
  return table;
}

Table way_table(const Design& design) {
  Table table({{"step", Align::right},
               {"grows", Align::left, 0, true},
               {"gain", Align::right},
               {std::string(kSpeedupKey.name), Align::right},
               {"of dense to begin with", Align::right},
               {"area", Align::right}});
  const auto add = [&](const std::string& step, const std::string& grows, const std::string& gain,
                       const DesignMachine& machine) {
    table.add_row({step, grows, gain, format_speedup(machine.speedup_same),
                   format_speedup(machine.speedup_base), format_significant(machine.area_ratio)});
  };
  add("", "", "", design.base);
  for (std::size_t step = 0; step < design.way.size(); ++step) {
    std::vector<std::string> grows;
    for (const std::size_t at : design.way[step].resources) {
      const std::size_t level = design.space.lattice().level(design.way[step].machine, at);
      grows.push_back(
          fmt::format("{} {}", design.space.resources()[at].name, label_at(design, at, level)));
    }
    add(std::to_string(step + 1), fmt::format("{}", fmt::join(grows, ", ")),
        format_gain(design.way[step].gain), design.way_machines[step]);
  }
  return table;
}

}  // namespace

std::string design_text(const Design& design, std::size_t width) {
  return wrap_lines(head_of(design), width) + "\n" + resources_table(design).to_string(width) +
         "\n" + way_table(design).to_string(width);
}

std::string design_markdown(const Design& design) {
  return head_of(design) + "\n" + resources_table(design).to_markdown() + "\n" +
         way_table(design).to_markdown();
}

}  // namespace stcsim
