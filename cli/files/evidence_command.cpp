#include <string>
#include <utility>
#include <vector>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/python_program.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kRowsNotes =
    "FILE is a table (CSV) of GEMMs, instructions, networks, other kernels or collectives "
    "measured\n"
    "on real GPUs, by default the published ones that come with the program. A column `instr` "
    "makes\n"
    "it one of instructions, `network` one of networks, `op` one of kernels beside the products,\n"
    "`collective` one of collectives, `sm_cycles` one of hardware counters; see\n"
    "docs/evidence.md.\n\n"
    "  stcsim evidence rows\n"
    "  stcsim evidence rows --format json > v.json && stcsim page v.json -o validation.html\n"
    "  stcsim evidence rows mine.csv --format json\n";

constexpr const char* kPapersNotes =
    "PAPER is a shipped one ('stcsim list papers'), the path of a folder like them, all, or "
    "claims: "
    "the\nshipped ones without a result in a sentence, whose figures are printed. For each, DIR "
    "gets "
    "PAPER.md\nand PAPER.json (docs/evidence.md), and unless it is of claims PAPER.html, a page to "
    "open in a browser.\n\n"
    "  stcsim evidence papers sdgp --jobs auto\n"
    "  stcsim evidence papers all --jobs auto --out results/papers\n";

constexpr struct RowsTable {
  Option out = kCommon.out.as(
      "DIR",
      "also write a page of all cells (validation.md), and cells and rows (CSV) into this "
      "directory");
  Option show{"show", "all|cells",
              "cells: errors of GEMMs by machine, type, size, source and use only (default all)"};
  Option machine{"machine", "NAME", "only rows of GPUs that this machine stands for"};
  Option dtype = kCommon.dtype.as("TYPE", "only rows of this data type");
  Option use{"use", "fitting|testing|shown|sealed", "only GEMMs and collectives of this use"};
  Option jobs = kCommon.jobs;
  Option format =
      kCommon.format.as("table|json|csv", "form of the data on standard output (default table)");
  Option html = kCommon.html;
} kRows;

struct PapersTable {
  Option out = kCommon.out.as("DIR", "where the pages are written (default out/papers)");
  Option jobs = kCommon.jobs;
  Option cache = kCommon.cache;
};
constexpr Option kPaper{"PAPER"};

/// Those of these options that were given, as words.
void add_given(std::vector<std::string>& words, const Arguments& arguments,
               const Options& options) {
  for (const Option& option : options) {
    for (const std::string& value : arguments.all(option)) {
      words.push_back(option.spelled() + "=" + value);
    }
  }
}

int run_rows(const Arguments& arguments) {
  const Format format = format_of(arguments);
  if (arguments.choice(kRows.show) == 1 && format == Format::json) {
    arguments.refuse(kRows.show, "all with this --format");
  }
  if (arguments.has(kCommon.dtype)) static_cast<void>(dtype_given(arguments));
  static_cast<void>(arguments.choice(kRows.use));
  std::vector<std::string> words{"rows", "--jobs=" + std::to_string(jobs_of(arguments))};
  if (arguments.has(kRows.machine)) {
    words.push_back("--machine=" + load_machine(arguments.text(kRows.machine)).config.name);
  }
  add_given(words, arguments,
            {kRows.out, kRows.show, kRows.dtype, kRows.use, kRows.format, kRows.html});
  if (arguments.has(kCommon.file)) words.push_back(arguments.text(kCommon.file));
  become_python("stcsim.evidence", std::move(words));
}

int run_papers(const Arguments& arguments) {
  std::vector<std::string> words{"papers", "--jobs=" + std::to_string(jobs_of(arguments))};
  add_given(words, arguments, {kCommon.out, kCommon.cache});
  const std::vector<std::string> papers = arguments.all(kPaper);
  words.insert(words.end(), papers.begin(), papers.end());
  become_python("stcsim.evidence", std::move(words));
}

}  // namespace

Command rows_command() {
  return {"evidence rows",
          "Compare predictions with measurements on real GPUs",
          "[FILE] [OPTIONS]",
          kRowsNotes,
          {kCommon.file.optional()},
          options_of<RowsTable>(),
          &run_rows};
}

Command papers_command() {
  return {"evidence papers",
          "Redo a publication's figures: published beside simulated, a page for each",
          "PAPER... [OPTIONS]",
          kPapersNotes,
          {kPaper.repeated()},
          options_of<PapersTable>(),
          &run_papers};
}

}  // namespace stcsim
