#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/python_program.hpp"
#include "cli/eval/eval_line.hpp"
#include "cli/run/experiment_options.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

using nlohmann::ordered_json;

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

constexpr const char* kTraceNotes =
    "FILE is a profile of a training step as torch.profiler exports it (.json, .json.gz), with "
    "shapes.\n"
    "Its last step with products is compared: product by product, all other kernels by phase, kind "
    "and\n"
    "operator. Without --network only the products that the profile itself has are simulated.\n\n"
    "  stcsim evidence trace step.json.gz --arch h200 --dtype bf16\n"
    "  stcsim evidence trace step.json.gz --arch h200 --dtype bf16 --network bert_large_s384 "
    "--batch 32\n";

constexpr const char* kPapersNotes =
    "PAPER is a shipped one ('stcsim list papers'), the path of a folder like them, all, or "
    "claims: "
    "the\nshipped ones without a result in a sentence, whose figures are printed. For each, DIR "
    "gets "
    "PAPER.md\nand PAPER.json (docs/evidence.md), and unless it is of claims PAPER.html, a page to "
    "open in a browser.\n\n"
    "  stcsim evidence papers sdgp --jobs auto\n"
    "  stcsim evidence papers all --jobs auto --out results/papers\n";

constexpr const char* kFitNotes =
    "TABLE is a CSV file with a row for each GEMM: m, n, k, time_us, and where they differ "
    "pattern,\n"
    "dtype, batch_count, layout, stack, clock and other options of `gemm`. What data sheets say "
    "comes\n"
    "with --from and --set: SMs, clock, multipliers, bandwidth of DRAM. Every third row is left "
    "out\n"
    "of a first fit, to say how far off the machine is where it was not fitted.\n\n"
    "  stcsim fit measured.csv --from a100 --set clock_mhz=1380 -o mine.yaml\n"
    "  stcsim gemm --arch ./mine.yaml --m 1024 --n 8192 --k 1024 --sparsity 2:4\n";

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
  Option svg = kCommon.svg;
} kRows;

constexpr struct TraceTable {
  Option arch = kCommon.arch.as("NAME", "machine to simulate the step on");
  Option network = kExperiment.network.as(
      "NAME", "what the profile ran: a shipped network, or a file (default: its products alone)");
  Option batch = kCommon.batch.as("N", "samples per step (default: the network's own)", &network);
  Option tokens = kSizes.tokens.with(&Option::needed, &network);
  Option framework = kExperiment.framework.as(
      "NAME", "whose kernels run beside the GEMMs (default pytorch_2_eager)", &network);
  Option dtype = kCommon.dtype.as("TYPE", "data type of the step (default fp16)");
  Option clock = kCommon.clock;
  Option jobs = kCommon.jobs;
  Option format = kCommon.format.as("table|json|markdown",
                                    "form of the data on standard output (default table)");
  Option html = kCommon.html;
  Option svg = kCommon.svg;
} kTrace;

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
            {kRows.out, kRows.show, kRows.dtype, kRows.use, kRows.format, kRows.html, kRows.svg});
  if (arguments.has(kCommon.file)) words.push_back(arguments.text(kCommon.file));
  become_python("stcsim.evidence", std::move(words));
}

int run_trace(const Arguments& arguments) {
  static_cast<void>(format_of(arguments, kTrace.format));
  if (arguments.has(kCommon.dtype)) static_cast<void>(dtype_given(arguments));
  std::vector<std::string> words{"trace", "--jobs=" + std::to_string(jobs_of(arguments)),
                                 "--arch=" + arguments.text(kCommon.arch)};
  add_given(words, arguments,
            {kTrace.network, kTrace.batch, kTrace.tokens, kTrace.framework, kTrace.dtype,
             kTrace.clock, kTrace.format, kTrace.html, kTrace.svg});
  words.push_back(arguments.text(kCommon.file));
  become_python("stcsim.evidence", std::move(words));
}

int run_papers(const Arguments& arguments) {
  std::vector<std::string> words{"papers", "--jobs=" + std::to_string(jobs_of(arguments))};
  add_given(words, arguments, {kCommon.out, kCommon.cache});
  const std::vector<std::string> papers = arguments.all(kPaper);
  words.insert(words.end(), papers.begin(), papers.end());
  become_python("stcsim.evidence", std::move(words));
}

constexpr struct FitTable {
  Option from{"from", "NAME", "machine to begin with: a shipped one, or a path"};
  Option output = kCommon.output.as("FILE", "the machine file (required)").or_letter('o');
  Option copy{"copy", "GB/S", "bandwidth that copies reach in DRAM: it is not fitted then"};
  Option set = kCommon.set.like("accelerator.num_sms=82");
  Option jobs = kCommon.jobs;
} kFit;
constexpr Option kTable{"TABLE"};

/// Values by their keys, of "key=value" each.
ordered_json values_of(const std::vector<std::string>& assignments) {
  ordered_json values = ordered_json::object();
  for (const std::string& one : assignments) {
    YamlNode node;
    apply_override(node, "value=" + one.substr(one.find('=') + 1));
    values[one.substr(0, one.find('='))] = to_json(node).at("value");
  }
  return values;
}

/// What python/stcsim/fit.py is asked.
int run_fit(const Arguments& arguments) {
  if (!arguments.has(kFit.output)) throw ConfigError("--output is missing");
  const std::string output = arguments.text(kFit.output);
  const std::string from = arguments.text(kFit.from);
  std::vector<std::string> set = arguments.all(kCommon.set);
  YamlNode machine = load_by_name(ConfigKind::machine, from);
  apply_overrides(machine, set);
  const double clock_mhz = read_machine(machine).config.clock_mhz;
  if (arguments.has(kFit.copy)) {
    set.push_back(fmt::format("accelerator.dram.bytes_per_clk={}",
                              std::llround(arguments.number(kFit.copy) * 1000 / clock_mhz)));
  }
  ordered_json options;
  for (const Option& option : line_options(EvalLine::Kind::gemm)) {
    options.push_back(option.name);
  }
  const ordered_json request{
      {"table", arguments.text(kTable)},
      {"from", from},
      {"extends", name_from(fs::absolute(output).parent_path(), ConfigKind::machine, from)},
      {"machine", to_json(machine)},
      {"set", values_of(set)},
      {"options", options},
      {"output", output},
      {"jobs", jobs_of(arguments)}};
  become_python("stcsim.fit", {}, request.dump());
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

Command trace_command() {
  return {"evidence trace",
          "Compare a profile of a training step with its simulation, kernel by kernel",
          "FILE --arch NAME [OPTIONS]",
          kTraceNotes,
          {kCommon.file},
          options_of<TraceTable>(),
          &run_trace};
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

Command fit_command() {
  return {"fit",
          "Fit a machine to measured times of GEMMs: a file for your own card",
          "TABLE --from NAME -o FILE [OPTIONS]",
          kFitNotes,
          {kTable},
          options_of<FitTable>(),
          &run_fit};
}

}  // namespace stcsim
