#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/prune_files.hpp"
#include "cli/prune_options.hpp"
#include "pruning/prune.hpp"
#include "pruning/summarise.hpp"
#include "reports/prune_report.hpp"

namespace stcsim {
namespace {

constexpr const char* kPruneWho = "stcsim prune";

using pruning::PruneSummary;

std::string text_of(const PruneSummary& summary, Format format) {
  if (format == Format::json) return prune_to_json(summary);
  if (format == Format::csv) return prune_to_csv(summary);
  return prune_text(summary);
}

int exit_code_of(const PruneSummary& summary) {
  std::int64_t violations = 0;
  for (const pruning::AxisFigures& axis : summary.axes) violations += axis.violations;
  if (violations == 0) return kExitFine;
  write_message(kPruneWho, fmt::format("{} groups violate the pattern", violations));
  return kExitDifferent;
}

int run_prune_command(const Arguments& arguments) {
  PruneCommandOptions options = read_prune_options(arguments);
  PruneFiles files(options);
  ProgressBar bar;
  options.prune.how.progress = [&bar](std::int64_t done, std::int64_t total) {
    bar.update({done, total, static_cast<double>(done), static_cast<double>(total)}, "parts");
  };
  const std::string scheme(options.scheme->name);
  const pruning::Pruned pruned = pruning::prune(options.tensor, scheme, options.prune);
  PruneSummary summary =
      pruning::summarise(options.tensor, pruned, scheme, options.prune, options.summary);
  bar.wipe();
  summary.input = options.input;
  summary.resolved_config = options.resolved_config;
  summary.config_hash = options.config_hash;
  summary.files = files.names();
  files.write(pruned, options.prune.pattern);
  write_data(text_of(summary, options.format));
  return exit_code_of(summary);
}

std::string notes() {
  std::string text = "Schemes:\n";
  std::size_t width = 0;
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    width = std::max(width, scheme.name.size());
  }
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    text += fmt::format("  {:<{}}  {}\n", scheme.name, width, scheme.description);
  }
  return text +
         "\nWith --output X.npy the pruned tensor goes there, its compressed values to "
         "X.values.npy and\ntheir metadata to X.metadata.npy. An example:\n\n"
         "  stcsim prune --scheme mvue --pattern 2:4 --input normal:1024x1024 --output y.npy\n";
}

}  // namespace

Command prune_command() {
  return {"prune",
          "Prune a tensor by a published scheme",
          "--scheme NAME --pattern N:M --input INPUT [OPTIONS]",
          notes(),
          {},
          prune_options_description(),
          &run_prune_command};
}

}  // namespace stcsim
