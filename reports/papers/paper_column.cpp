#include "reports/papers/paper_column.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "common/io/named_file.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

PaperColumn read_column(MapReader& map) {
  PaperColumn column;
  column.name = map.get_string("name");
  column.machine_file = file_named_by(map, ConfigKind::machine, "machine");
  column.framework_file = file_named_by(map, ConfigKind::framework, "framework");
  column.assumed = map.get_bool_or("assumed", false);
  map.finish();
  const MachineConfig machine = load_machine(column.machine_file).config;
  column.machine = machine.name;
  column.sort = sort_of(machine);
  column.framework = load_framework(column.framework_file).name;
  return column;
}

}  // namespace

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
  return columns;
}

}  // namespace stcsim
