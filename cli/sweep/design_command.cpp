#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/program_options/options_description.hpp>
#include <fmt/format.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/format.hpp"
#include "reports/design/design_report.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {
namespace {

constexpr const char* kDesignWho = "stcsim design";
constexpr const char* kDefaultAreas = "ga100_7nm";
constexpr const char* kDesignNotes =
    "SPACE is one of 'stcsim list spaces' or a path, as for 'stcsim sweep': its machine axes are\n"
    "what can grow, from the first value to the last; zipped ones grow together. The work is all\n"
    "its GEMMs, each as often as its 'repeat' says, or the steps of its networks.\n"
    "Results are kept in the sweep's file, so that a second question is answered sooner.\n"
    "With --target every point of the space is simulated, and schemes compete too: which trains\n"
    "soonest and loses no more, by what is published or by own trainings ('accuracy').\n\n"
    "  stcsim design one_of_eight --at-least 4\n"
    "  stcsim design one_of_eight --at-least 90% --max area=1.2\n"
    "  stcsim design pays_resnet9 --target dense-0.5\n"
    "  stcsim design one_of_eight --max dram_gb_per_s=2000 --jobs auto --format json\n";

constexpr struct DesignTable {
  Option at_least{"at-least", "SPEEDUP",
                  "the cheapest machine that reaches it: a factor (4), or a share of m/n (90%)"};
  Option max = kCommon.max
                   .as("WHAT=NUMBER",
                       "within a budget: area (of the first machine's, 1.1), watts, dram_gb_per_s, "
                       "or a key that grows; may be repeated. Without --at-least: the fastest "
                       "machine within it")
                   .repeated();
  Option least{"least", "WHAT",
               "quantity that the cheapest machine has least of: area (default), dram_gb_per_s, or "
               "a key that grows"};
  Option against = kCommon.against.as(
      "same|base",
      "speedup over dense on the same machine (default with --at-least), or on the first one "
      "(default without)");
  Option of{
      "of", "PART",
      "the work that counts: gemm (of a space's gemms), or step, gemms, forward, dgrad, wgrad "
      "of its networks"};
  Option slack{"slack", "PERCENT",
               "how much slower more of a resource may make a machine (default 1%)"};
  Option target = kCommon.target.as(
      "ACCURACY",
      "in place of these: the shortest training that ends there, in percent, or so many points "
      "below dense (dense-0.5)");
  Option exhaustive{"exhaustive", "", "simulate every machine"};
  Option costs = kCommon.costs;
  Option results = kCommon.results.as(
      "FILE", "SQLite file of what is simulated (default: the space's name and .sqlite)");
  Option jobs = kCommon.jobs;
  Option fast_forward = kCommon.fast_forward;
  Option set = kCommon.set.like("machines.0=a100_nm8");
  Option format = kCommon.format.as("table|markdown|json", "form of the output (default table)");
  Option output = kCommon.output;
  Option html = kCommon.html;
  Option svg = kCommon.svg;
} kDesign;

constexpr double kPercent = 100;
constexpr double kMostSlack = 1;

/// The number before a final '%', as a share.
std::optional<double> share_in(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const std::optional<double> number = to_number(text.substr(0, text.size() - 1));
  if (!number) return std::nullopt;
  return *number / kPercent;
}

SpeedupGoal goal_of(const Arguments& arguments) {
  std::string text = arguments.text(kDesign.at_least);
  if (text.ends_with('x')) text.pop_back();
  if (const std::optional<double> share = share_in(text)) {
    if (*share > 0 && *share <= 1) return {*share, true};
  } else if (const std::optional<double> speedup = to_number(text)) {
    if (*speedup >= 1) return {*speedup, false};
  }
  arguments.refuse(kDesign.at_least, "a speedup from 1, e.g. 4, or a share of m/n, e.g. 90%");
}

Budget budget_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::optional<double> most = equals == std::string::npos
                                         ? std::nullopt
                                         : to_number(std::string_view(text).substr(equals + 1));
  if (equals != 0 && most && *most > 0) return {text.substr(0, equals), *most};
  throw ConfigError(
      fmt::format("--max is '{}', must be a measure and a number above 0, e.g. area=1.1", text));
}

double slack_of(const Arguments& arguments) {
  const DesignQuestion defaults;
  if (!arguments.has(kDesign.slack)) return defaults.slack;
  const std::optional<double> share = share_in(arguments.text(kDesign.slack));
  if (!share || *share < 0 || *share >= kMostSlack) {
    arguments.refuse(kDesign.slack, "a percentage below 100, e.g. 1%");
  }
  return *share;
}

DesignQuestion question_of(const Arguments& arguments) {
  constexpr std::array kAgainst{Against::same, Against::base};
  DesignQuestion question;
  if (arguments.has(kDesign.at_least)) question.at_least = goal_of(arguments);
  for (const std::string& text : arguments.all(kCommon.max)) {
    question.budgets.push_back(budget_of(text));
  }
  if (!question.at_least && question.budgets.empty()) {
    throw ConfigError(
        "--at-least, --max or --target is missing: what the machine must reach, or must not "
        "exceed");
  }
  arguments.allow_only_if(question.at_least.has_value(), kDesign.least,
                          "goes with --at-least only");
  question.least = arguments.text_or(kDesign.least, question.least);
  if (arguments.has(kCommon.against)) {
    question.against = kAgainst.at(arguments.choice(kDesign.against));
  }
  if (arguments.has(kDesign.of)) {
    question.of = value_of(arguments, kDesign.of, WorkPart::wgrad);
  }
  question.slack = slack_of(arguments);
  question.is_exhaustive = arguments.has(kDesign.exhaustive);
  return question;
}

std::string text_in(Format format, const Design& design, std::size_t width) {
  if (format == Format::json) return design_to_json(design);
  return format == Format::markdown ? design_markdown(design) : design_text(design, width);
}

/// What `find` makes with these options; an interrupt says where what was simulated is kept.
template <class Find>
auto watched(const Arguments& arguments, const std::filesystem::path& results, const Find& find) {
  SweepOptions options;
  options.study.jobs = jobs_of(arguments);
  options.study.fast_forward = fast_forward_of(arguments);
  options.study.interrupted = &InterruptWatch::interrupted;
  const InterruptWatch watch;
  try {
    return find(options);
  } catch (const StudyInterrupted&) {
    throw StudyInterrupted(fmt::format(
        "what was simulated is kept in {}; the same command goes on there", results.string()));
  }
}

int run_target(const Arguments& arguments) {
  const Format format = format_of(arguments, kDesign.format.as("table|markdown", ""));
  for (const Option& option : {kDesign.at_least, kCommon.max, kDesign.least, kCommon.against,
                               kDesign.of, kDesign.slack, kCommon.html, kCommon.svg}) {
    arguments.allow_only_if(false, option, "does not go with --target");
  }
  const AccuracyTarget target = accuracy_target_of(arguments);
  if (target.is_loss && target.value < 0) arguments.refuse(kCommon.target, "points below dense");
  Space space = load_space(arguments.text(kCommon.space), arguments.all(kCommon.set));
  const std::filesystem::path results = arguments.text_or(kCommon.results, space.name + ".sqlite");
  Output output(arguments);
  const AccuracyDesign design = watched(arguments, results, [&](const SweepOptions& sweep) {
    return find_accuracy_design(std::move(space), target.value, target.is_loss,
                                load_costs(arguments.text_or(kCommon.costs, kDefaultAreas)), sweep,
                                results);
  });
  output.write(format == Format::markdown ? accuracy_design_markdown(design)
                                          : accuracy_design_text(design, output.width()));
  write_next(arguments, {"stcsim page", shell_word(results)});
  return kExitFine;
}

bool is_missed(const Design& design) {
  return design.question.at_least && !design.is_reached;
}

/// The speedup that the answer has of what was asked for, rounded down.
double reached_by(const Design& design) {
  constexpr double kDigits = 100;
  const DesignMachine& answer = design.answer;
  const bool is_same = design.against == Against::same;
  return std::floor(kDigits * (is_same ? answer.speedup_same : answer.speedup_base)) / kDigits;
}

/// A page of the answer; where none reaches what was asked for, what can be reached, or all points.
void write_next_of(const Arguments& arguments, const Design& design) {
  std::vector<std::string> parts = arguments.again({kCommon.space});
  const auto add = [&](const std::vector<std::string>& words) {
    parts.insert(parts.end(), words.begin(), words.end());
  };
  if (is_missed(design) && reached_by(design) < 1) {
    add(arguments.again({kCommon.results, kCommon.set}));
    return write_next(arguments, {"stcsim sweep run"}, parts);
  }
  add(is_missed(design) ? std::vector{fmt::format("--at-least {:.2f}", reached_by(design))}
                        : arguments.again({kDesign.at_least}));
  add(arguments.again({kCommon.max, kDesign.least, kCommon.against, kDesign.of, kDesign.slack,
                       kDesign.exhaustive, kCommon.costs, kCommon.results, kCommon.set}));
  if (!is_missed(design)) {
    add({fmt::format("--html {}.html", shell_word(design.space.space().name))});
  }
  write_next(arguments, {"stcsim design"}, parts);
}

int run_design(const Arguments& arguments) {
  if (arguments.has(kCommon.target)) return run_target(arguments);
  const Format format = format_of(arguments, kDesign.format);
  DesignOptions options;
  options.question = question_of(arguments);
  options.areas = load_costs(arguments.text_or(kCommon.costs, kDefaultAreas));
  Space space = load_space(arguments.text(kCommon.space), arguments.all(kCommon.set));
  const std::filesystem::path results = arguments.text_or(kCommon.results, space.name + ".sqlite");
  Output output(arguments);
  HtmlPage page(arguments, kDesignWho);
  ProgressBar bar;
  options.on_machines = [&bar](std::size_t machines, std::size_t most) {
    bar.show(fmt::format("{} of at most {} machines simulated", machines, most));
  };
  const Design design = watched(arguments, results, [&](const SweepOptions& sweep) {
    options.sweep = sweep;
    return find_design(std::move(space), options, results);
  });
  bar.wipe();
  page.write([&] { return design_to_json(design); });
  output.write(text_in(format, design, output.width()));
  write_next_of(arguments, design);
  return is_missed(design) ? kExitDifferent : kExitFine;
}

}  // namespace

Command design_command() {
  return {"design",
          "Find the cheapest machine that reaches a speedup, or the fastest in a budget",
          "SPACE --at-least SPEEDUP|--max WHAT=NUMBER...|--target ACCURACY [OPTIONS]",
          kDesignNotes,
          {kCommon.space},
          options_of<DesignTable>(),
          &run_design};
}

}  // namespace stcsim
