#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "common/phase.hpp"
#include "reports/papers/paper_result.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/field_json.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/run/gemm_kernels.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Machines of all columns, by their names.
class ColumnMachines {
 public:
  explicit ColumnMachines(const Paper& paper) {
    for (const PaperFigure& figure : paper.figures) {
      for (const PaperColumn& column : figure.columns) {
        machines_.try_emplace(column.machine, load_machine(column.machine_file).config);
      }
    }
  }

  [[nodiscard]] const MachineConfig& of(const PaperColumn& column) const {
    return machines_.at(column.machine);
  }
  [[nodiscard]] std::string texts() const {
    std::string all;
    for (const auto& [name, machine] : machines_) all += to_json(machine).dump();
    return all;
  }

 private:
  std::map<std::string, MachineConfig> machines_;
};

/// Calls use(row, kind's row, column, answers) for every row of a kind in every column.
template <class Kind, class Use>
void for_each_row(PaperResult& result, const Use& use) {
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      const auto* const row = std::get_if<Kind>(&figure.rows[r].experiment);
      if (row == nullptr) continue;
      for (const PaperColumn& column : figure.columns) use(*row, column, result.answers[f][r]);
    }
  }
}

/// Adds the answer, or why there is none.
void add(const PaperColumn& column, std::optional<PaperAnswer> answer, const std::string& why_not,
         RowAnswers& to) {
  if (answer) {
    to.answers.push_back(std::move(*answer));
  } else {
    to.not_run.push_back(column.name + ": " + why_not);
  }
}

constexpr const char* kFailed = "some of it could not be simulated";

/// The things that rows have in common which one study answers.
struct StudyKey {
  std::string machine_file;
  std::string framework_file;
  std::string stack;
  bool assumed = false;
  std::string network_file;
  std::optional<std::int64_t> batch;
  std::string dtype;

  friend auto operator<=>(const StudyKey&, const StudyKey&) = default;
};

/// A row in a column, and where its answer goes.
struct AskedRow {
  const StepRow* row = nullptr;
  const PaperColumn* column = nullptr;
  RowAnswers* answers = nullptr;
};

ordered_json entry_of(const StepScheme& scheme) {
  if (scheme.pattern.empty()) return scheme.file;
  return {{"name", scheme.file}, {"pattern", scheme.pattern}};
}

void add_once(std::vector<ordered_json>& entries, const ordered_json& entry) {
  if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
}

Experiment experiment_of(const StudyKey& key, const std::vector<AskedRow>& rows) {
  std::vector<ordered_json> schemes;
  bool trains = false;
  bool infers = false;
  for (const AskedRow& asked : rows) {
    add_once(schemes, entry_of(asked.row->scheme));
    if (asked.row->against) add_once(schemes, entry_of(*asked.row->against));
    (asked.row->is_inference() ? infers : trains) = true;
  }
  std::vector<std::string> phases;
  for (const Phase phase : kPhases) {
    if (trains) phases.emplace_back(to_string(phase));
  }
  if (infers) phases.emplace_back(kInferenceName);
  ordered_json network{{"name", key.network_file}};
  if (key.batch) network["batch"] = *key.batch;
  ordered_json json{{"machines", {key.machine_file}},
                    {"networks", ordered_json::array({network})},
                    {"schemes", schemes},
                    {"phases", phases},
                    {"framework", key.framework_file},
                    {"stack", key.stack},
                    {"scheme_work", !key.assumed},
                    {"sparse_where", to_string(SparseWhere::always)}};
  if (!key.dtype.empty()) json["dtype"] = key.dtype;
  return load_experiment(parse_yaml(json.dump(), "rows about " + rows.front().row->network), {});
}

/// The studies that answer the rows about steps.
std::map<StudyKey, std::vector<AskedRow>> step_studies(PaperResult& result) {
  std::map<StudyKey, std::vector<AskedRow>> by_study;
  for_each_row<StepRow>(result, [&](const StepRow& row, const PaperColumn& column, RowAnswers& to) {
    by_study[{column.machine_file, column.framework_file, column.stack, column.assumed,
              row.network_file, row.batch, row.dtype}]
        .push_back({&row, &column, &to});
  });
  return by_study;
}

/// @return the configuration hashes of what was simulated
std::string answer_step_rows(PaperResult& result, const PaperOptions& options) {
  std::string hashes;
  for (const auto& [key, rows] : step_studies(result)) {
    std::optional<Experiment> experiment;
    try {
      experiment = experiment_of(key, rows);
    } catch (const ConfigError& error) {
      for (const AskedRow& asked : rows) add(*asked.column, {}, error.what(), *asked.answers);
      continue;
    }
    const StudyResult study = options.run(*experiment);
    hashes += study.config_hash;
    for (const AskedRow& asked : rows) {
      add(*asked.column, answer_of(*asked.row, *asked.column, study), kFailed, *asked.answers);
    }
  }
  return hashes;
}

/// Why the machine cannot run a GEMM of the row; "" if it can run all.
std::string obstacle(const GemmRow& row, const MachineConfig& machine) {
  try {
    for (const GemmProblem& gemm : gemms_of(row)) require_runnable(machine, gemm);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void answer_gemm_rows(PaperResult& result, const ColumnMachines& machines,
                      const PaperOptions& options) {
  JobMachines of_jobs;
  std::vector<Job> jobs;
  std::vector<std::function<void(const Answers&)>> to_answer;
  for_each_row<GemmRow>(result, [&](const GemmRow& row, const PaperColumn& column, RowAnswers& to) {
    const MachineConfig& machine = machines.of(column);
    const std::string why = obstacle(row, machine);
    if (!why.empty()) return add(column, {}, why, to);
    const std::size_t first = jobs.size();
    for (const GemmProblem& gemm : gemms_of(row)) {
      Job& job =
          jobs.emplace_back(Job{&of_jobs.of(machine), GemmWork{gemm}, {}, LaunchConditions()});
      job.policy.stack = column.stack;
    }
    const std::size_t count = jobs.size() - first;
    to_answer.push_back([&row, &column, &to, &machine, first, count](const Answers& answers) {
      add(column, answer_of(row, column, machine, std::span(answers).subspan(first, count)), "",
          to);
    });
  });
  if (jobs.empty()) return;
  const Answers answers =
      answers_to(jobs, {options.jobs, options.fast_forward}, [&](std::size_t done) {
        if (options.progress) options.progress(done, jobs.size());
      });
  for (const auto& add_answer : to_answer) add_answer(answers);
}

/// Rows that need no machine.
struct ComputedAnswer {
  RowAnswers& to;

  template <class Row>
  void operator()(const Row& row) const {
    if constexpr (requires { answer_of(row); }) to.answers.push_back(answer_of(row));
  }
};

/// Answers in the order of the figure's columns.
void sort_answers(const std::vector<PaperColumn>& columns, RowAnswers& row) {
  const auto rank = [&](const PaperAnswer& answer) {
    return std::ranges::find(columns, answer.column, &PaperColumn::name) - columns.begin();
  };
  std::ranges::sort(row.answers, {}, rank);
}

PaperResult unanswered(Paper paper) {
  PaperResult result{std::move(paper), {}, {}, {}};
  for (const PaperFigure& figure : result.paper.figures) {
    result.answers.emplace_back(figure.rows.size());
  }
  return result;
}

PaperResult answer_rows(Paper paper, const PaperOptions& options) {
  PaperResult result = unanswered(std::move(paper));
  const ColumnMachines machines(result.paper);
  const std::string hashes = answer_step_rows(result, options);
  answer_gemm_rows(result, machines, options);
  for_each_row<TrainingRow>(result,
                            [&](const TrainingRow& row, const PaperColumn& column, RowAnswers& to) {
                              add(column, answer_of(row, column, options.run), kFailed, to);
                            });
  for (std::size_t f = 0; f < result.answers.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      std::visit(ComputedAnswer{result.answers[f][r]}, figure.rows[r].experiment);
      sort_answers(figure.columns, result.answers[f][r]);
    }
  }
  result.config_hash = sha256_hex(hashes + machines.texts());
  return result;
}

/// The other software that users of a column's machine could have run.
std::vector<PaperColumn> other_software(const PaperColumn& own) {
  std::vector<PaperColumn> others;
  if (own.assumed) return others;
  const MachineConfig machine = load_machine(own.machine_file).config;
  for (const std::string& stack : machine.stacks_beside(own.stack)) {
    others.push_back(with_stack(own, stack));
  }
  return others;
}

/// Figures of the sentence, and the columns of other software for each.
using AskedSpread = std::vector<std::pair<SentenceFigure, std::vector<PaperColumn>>>;

/// The figures of the sentence with other software, without what a column beside them has already.
Paper spread_paper(const PaperResult& result, AskedSpread& asked) {
  Paper unknown;
  for (const SentenceFigure& named : figures_in_sentence(result.paper)) {
    const PaperFigure& figure = result.paper.figures[named.figure];
    const auto own = std::ranges::find(figure.columns, named.column, &PaperColumn::name);
    if (own == figure.columns.end()) continue;
    const std::vector<PaperColumn> others = other_software(*own);
    if (others.empty()) continue;
    PaperFigure alone = figure;
    alone.rows = {figure.rows[named.row]};
    alone.columns = others;
    std::erase_if(alone.columns, [&](const PaperColumn& column) {
      return answer_in(result.answers[named.figure][named.row], column.name) != nullptr;
    });
    unknown.figures.push_back(std::move(alone));
    asked.emplace_back(named, others);
  }
  return unknown;
}

std::vector<FigureSpread> spread_of(const PaperResult& result, const PaperOptions& options) {
  AskedSpread asked;
  const PaperResult found = answer_rows(spread_paper(result, asked), options);
  std::vector<FigureSpread> spread;
  for (std::size_t at = 0; at < asked.size(); ++at) {
    const auto& [named, columns] = asked[at];
    FigureSpread one{text_of(result, named), {}};
    for (const PaperColumn& column : columns) {
      const PaperAnswer* answer = answer_in(result.answers[named.figure][named.row], column.name);
      if (answer == nullptr) answer = answer_in(found.answers[at].front(), column.name);
      if (answer == nullptr) continue;
      const PaperUnit unit = quantity_of(found.paper.figures[at].rows.front()).unit;
      one.with.emplace_back(column.stack, format_figure(unit, answer->value));
    }
    if (!one.with.empty()) spread.push_back(std::move(one));
  }
  return spread;
}

}  // namespace

std::size_t most_studies(const Paper& paper) {
  PaperResult own = unanswered(paper);
  AskedSpread asked;
  PaperResult spread = unanswered(spread_paper(own, asked));
  auto studies = step_studies(own);
  studies.merge(step_studies(spread));
  std::size_t trainings = 0;
  for_each_row<TrainingRow>(own, [&](const auto&, const auto&, const auto&) { ++trainings; });
  return studies.size() + trainings;
}

PaperResult run_paper(Paper paper, const PaperOptions& options) {
  PaperResult result = answer_rows(std::move(paper), options);
  result.spread = spread_of(result, options);
  return result;
}

}  // namespace stcsim
