#include "reports/papers/paper_run.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "reports/papers/paper_sentence.hpp"
#include "reports/papers/step_runs.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/field_json.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/run/gemm_kernels.hpp"

namespace stcsim {
namespace {

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
                      const GemmClaimOptions& how) {
  JobMachines of_jobs;
  std::vector<Job> jobs;
  std::vector<std::function<void(const Answers&)>> to_answer;
  for_each_row<GemmRow>(result, [&](const GemmRow& row, const PaperColumn& column, RowAnswers& to) {
    const MachineConfig& machine = machines.of(column);
    const std::string why = obstacle(row, machine);
    if (!why.empty()) {
      to.not_run.push_back(column.name + ": " + why);
      return;
    }
    const std::size_t first = jobs.size();
    for (const GemmProblem& gemm : gemms_of(row)) {
      jobs.push_back(gemm_job(of_jobs.of(machine), gemm, column.stack));
    }
    const std::size_t count = jobs.size() - first;
    to_answer.push_back([&row, &column, &to, &machine, first, count](const Answers& answers) {
      to.answers.push_back(
          answer_of(row, column, machine, std::span(answers).subspan(first, count)));
    });
  });
  if (jobs.empty()) return;
  const Answers answers = answers_to(jobs, {how.jobs, how.fast_forward}, [&](std::size_t done) {
    if (how.progress) how.progress(done, jobs.size());
  });
  for (const auto& add_answer : to_answer) add_answer(answers);
}

void answer_instruction_rows(PaperResult& result, const ColumnMachines& machines) {
  for_each_row<PaperInstructionRow>(
      result, [&](const PaperInstructionRow& row, const PaperColumn& column, RowAnswers& to) {
        if (column.is_beside) return;  // no software is in them
        if (auto answer = answer_of(row, column, machines.of(column))) {
          to.answers.push_back(std::move(*answer));
        } else {
          to.not_run.push_back(column.name + ": " + column.machine + " has no such instruction");
        }
      });
}

void answer_training_rows(PaperResult& result, const PaperOptions& options) {
  for_each_row<TrainingRow>(
      result, [&](const TrainingRow& row, const PaperColumn& column, RowAnswers& to) {
        if (auto answer = answer_of(row, column, options.run)) {
          to.answers.push_back(std::move(*answer));
        } else {
          to.not_run.push_back(column.name + ": some of it could not be simulated");
        }
      });
}

/// Rows that need no machine.
struct ComputedAnswer {
  RowAnswers& to;

  template <class Row>
  void operator()(const Row& row) const {
    if constexpr (requires { answer_of(row); }) to.answers.push_back(answer_of(row));
  }
};

void answer_computed_rows(PaperResult& result) {
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      std::visit(ComputedAnswer{result.answers[f][r]}, figure.rows[r].experiment);
    }
  }
}

/// Answers in the order of the figure's columns.
void sort_answers(PaperResult& result) {
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const std::vector<PaperColumn>& columns = result.paper.figures[f].columns;
    const auto rank = [&](const PaperAnswer& answer) {
      return std::find_if(columns.begin(), columns.end(),
                          [&](const PaperColumn& column) { return column.name == answer.column; }) -
             columns.begin();
    };
    for (RowAnswers& row : result.answers[f]) {
      std::sort(row.answers.begin(), row.answers.end(),
                [&](const PaperAnswer& left, const PaperAnswer& right) {
                  return rank(left) < rank(right);
                });
    }
  }
}

PaperResult answer_rows(Paper paper, const PaperOptions& options) {
  PaperResult result{std::move(paper), {}, {}, {}};
  for (const PaperFigure& figure : result.paper.figures) {
    result.answers.emplace_back(figure.rows.size());
  }
  const ColumnMachines machines(result.paper);
  const std::string hashes = answer_step_rows(result, options.run);
  answer_gemm_rows(result, machines, options.gemms);
  answer_instruction_rows(result, machines);
  answer_training_rows(result, options);
  answer_computed_rows(result);
  sort_answers(result);
  result.config_hash = sha256_hex(hashes + machines.texts());
  return result;
}

/// The row of a figure of the sentence alone, in columns of the other software that users of its
/// machine could have run.
PaperFigure with_other_software(const PaperFigure& figure, const SentenceFigure& named) {
  PaperFigure alone = figure;
  alone.rows = {figure.rows[named.row]};
  alone.columns.clear();
  const auto own = std::ranges::find(figure.columns, named.column, &PaperColumn::name);
  if (own == figure.columns.end() || own->assumed) return alone;
  const MachineConfig machine = load_machine(own->machine_file).config;
  for (const std::string& stack : machine.stacks_beside(own->stack)) {
    alone.columns.push_back(with_stack(*own, stack));
  }
  return alone;
}

/// What the figures of the sentence are with other software.
std::vector<FigureSpread> spread_of(const PaperResult& result, const PaperOptions& options) {
  Paper others;
  std::vector<std::string> figures;
  for (const SentenceFigure& named : figures_in_sentence(result.paper)) {
    const PaperFigure& figure = result.paper.figures[named.figure];
    PaperFigure alone = with_other_software(figure, named);
    if (named.column.empty() || alone.columns.empty()) continue;
    figures.push_back(text_of(result, named));
    others.figures.push_back(std::move(alone));
  }
  const PaperResult found = answer_rows(std::move(others), options);
  std::vector<FigureSpread> spread;
  for (std::size_t f = 0; f < figures.size(); ++f) {
    const PaperFigure& figure = found.paper.figures[f];
    FigureSpread one{figures[f], {}};
    for (const PaperAnswer& answer : found.answers[f].front().answers) {
      const auto column = std::ranges::find(figure.columns, answer.column, &PaperColumn::name);
      const PaperUnit unit = quantity_of(figure.rows.front()).unit;
      one.with.emplace_back(column->stack, format_figure(unit, answer.value));
    }
    if (!one.with.empty()) spread.push_back(std::move(one));
  }
  return spread;
}

}  // namespace

PaperResult run_paper(Paper paper, const PaperOptions& options) {
  PaperResult result = answer_rows(std::move(paper), options);
  result.spread = spread_of(result, options);
  return result;
}

}  // namespace stcsim
