#include "reports/papers/paper_column.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "reports/study_lines.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {
namespace {

PaperColumn read_column(MapReader& map) {
  PaperColumn column;
  column.name = map.get_string("name");
  column.machine_file = file_named_by(map, ConfigKind::machine, "machine");
  column.framework_file = file_named_by(map, ConfigKind::framework, "framework");
  column.assumed = map.get_bool_or("assumed", false);
  const MachineConfig machine = load_machine(column.machine_file).config;
  column.machine = machine.name;
  column.sort = sort_of(machine);
  const Framework framework = load_framework(column.framework_file);
  column.framework = framework.name;
  column.stack =
      map.has("stack") ? read_stack(map, machine) : machine.preferred_stack(framework.stacks);
  map.finish();
  return column;
}

std::vector<PaperColumn> with_best_kernels(const std::vector<PaperColumn>& columns) {
  const bool is_needed = std::ranges::any_of(
      columns, [](const PaperColumn& column) { return column.sort == MachineSort::hypothetical; });
  std::vector<PaperColumn> all;
  for (const PaperColumn& column : columns) {
    all.push_back(column);
    const bool is_built = column.sort == MachineSort::built && !column.assumed;
    if (is_needed && is_built && column.stack != kBestStack) {
      all.push_back(with_stack(column, kBestStack));
    }
  }
  return all;
}

}  // namespace

std::string PaperColumn::where() const {
  return machine + " with " + framework +
         (sort == MachineSort::counting || stack.empty() ? "" : ", " + stack);
}

PaperColumn with_stack(PaperColumn column, const std::string& stack) {
  column.name += ", " + stack_text(stack);
  column.stack = stack;
  column.is_beside = true;
  return column;
}

std::vector<PaperColumn> read_paper_columns(MapReader& map) {
  std::vector<PaperColumn> columns;
  for (MapReader& entry : map.get_maps("columns")) {
    PaperColumn column = read_column(entry);
    const auto same = [&](const PaperColumn& other) { return other.name == column.name; };
    if (std::any_of(columns.begin(), columns.end(), same)) {
      entry.fail("name", fmt::format("'{}' is in 'columns' twice, must have a name of its own",
                                     column.name));
    }
    columns.push_back(std::move(column));
  }
  if (columns.empty()) map.fail("columns", "'columns' is an empty list, must name one");
  return with_best_kernels(columns);
}

}  // namespace stcsim
