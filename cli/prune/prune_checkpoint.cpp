#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/prune/prune_options.hpp"
#include "common/io/csv.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "common/io/text_file.hpp"
#include "common/version.hpp"
#include "pruning/checkpoint.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using pruning::CheckpointRow;

double kept_of(const CheckpointRow& row) {
  const std::int64_t elements = pruning::element_count(row.tensor.shape);
  return static_cast<double>(row.nonzeros) /
         static_cast<double>(std::max<std::int64_t>(1, elements));
}

std::vector<ordered_json> rows_json(const std::vector<CheckpointRow>& rows) {
  std::vector<ordered_json> list;
  for (const CheckpointRow& row : rows) {
    ordered_json one{
        {"file", printable(row.file)}, {"tensor", printable(row.tensor.name)},
        {"type", row.tensor.type},     {"shape", pruning::shape_text(row.tensor.shape)},
        {"pruned", row.is_pruned},     {"kept", nullptr},
        {"l1_retained", nullptr}};
    if (row.is_pruned) one["kept"] = kept_of(row);
    if (row.l1_retained) one["l1_retained"] = *row.l1_retained;
    list.push_back(std::move(one));
  }
  return list;
}

std::string table_text(const std::vector<CheckpointRow>& rows, const std::string& pattern) {
  Table table(
      {{"tensor"}, {"type"}, {"shape"}, {"kept", Align::right}, {"L1 retained", Align::right}});
  std::int64_t pruned = 0;
  for (const CheckpointRow& row : rows) {
    if (!row.is_pruned) continue;
    ++pruned;
    table.add_row({printable(row.tensor.name), row.tensor.type,
                   pruning::shape_text(row.tensor.shape), format_percent(kept_of(row)),
                   row.l1_retained ? format_percent(*row.l1_retained) : "-"});
  }
  return fmt::format("{} of {} tensors pruned to {}, {} copied as they are\n\n", pruned,
                     rows.size(), pattern, std::ssize(rows) - pruned) +
         table.to_string(output_width());
}

}  // namespace

int run_prune_checkpoint(const PruneCommandOptions& options, const Arguments& arguments) {
  pruning::CheckpointOptions how;
  how.scheme = std::string(options.scheme->name);
  how.prune = options.prune;
  if (arguments.has(kPrune.tensors)) how.tensors = comma_list(arguments, kPrune.tensors);
  constexpr std::int64_t kMostAxis = 1000;
  if (arguments.has(kPrune.axis)) {
    how.axis = static_cast<std::size_t>(arguments.integer(kPrune.axis, 0, kMostAxis));
  }
  if (arguments.has(kPrune.second_axis)) {
    how.prune.rows_axis =
        static_cast<std::size_t>(arguments.integer(kPrune.second_axis, 0, kMostAxis));
  }
  ProgressBar bar;
  how.progress = [&bar](std::int64_t done, std::int64_t total) {
    bar.update({done, total, static_cast<double>(done), static_cast<double>(total)}, "bytes");
  };
  const auto rows = pruning::prune_checkpoint(options.input, options.output, how);
  bar.wipe();
  const std::vector<ordered_json> list = rows_json(rows);
  if (options.format == Format::json) {
    write_data(ordered_json{{"schema", "stcsim.prune_checkpoint/1"},
                            {"version", program_version()},
                            {"scheme", how.scheme},
                            {"pattern", options.prune.pattern.to_string()},
                            {"tensors", list}}
                   .dump(2) +
               "\n");
  } else if (options.format == Format::csv) {
    write_data(to_csv(list.front(), list));
  } else {
    write_data(table_text(rows, options.prune.pattern.to_string()));
    const auto pruned = std::ranges::find_if(rows, &CheckpointRow::is_pruned);
    write_data(
        next_lines(next_of_weight(pruned->tensor.shape, options.prune.pattern), output_width()));
  }
  return kExitFine;
}

}  // namespace stcsim
