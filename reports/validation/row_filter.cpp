#include "reports/validation/row_filter.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace stcsim {
namespace {

DataType type_of(const MeasuredGemm& row) {
  return row.problem.dtype;
}
template <class Row>
DataType type_of(const Row& row) {
  return row.dtype;
}

bool has_use(const MeasuredGemm& row, RowUse use) {
  return row.use == use;
}
template <class Row>
bool has_use(const Row& /*row*/, RowUse /*use*/) {
  return false;
}

/// Instructions and stream kernels may name their machine themselves.
std::string machine_named_in(const MeasuredInstruction& row) {
  return row.machine;
}
std::string machine_named_in(const MeasuredStream& row) {
  return row.machine;
}
template <class Row>
std::string machine_named_in(const Row& /*row*/) {
  return "";
}

template <class Row>
std::vector<Row> passing(const std::vector<Row>& rows, const RowFilter& filter,
                         const MachineOfGpu& machine_of) {
  std::vector<Row> kept;
  const auto passes = [&](const Row& row) {
    if (filter.use && !has_use(row, *filter.use)) return false;
    if (filter.dtype && type_of(row) != *filter.dtype) return false;
    if (filter.machine.empty()) return true;
    const std::string named = machine_named_in(row);
    if (!named.empty()) return named == filter.machine;
    const std::string* const machine = machine_of(row.gpu);
    return machine != nullptr && *machine == filter.machine;
  };
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept), passes);
  return kept;
}

}  // namespace

MeasuredTables filter_rows(const MeasuredTables& tables, const RowFilter& filter,
                           const MachineOfGpu& machine_of) {
  MeasuredTables kept{passing(tables.gemms, filter, machine_of),
                      passing(tables.instructions, filter, machine_of),
                      passing(tables.networks, filter, machine_of),
                      passing(tables.streams, filter, machine_of), tables.bad_rows};
  const bool is_empty = kept.gemms.empty() && kept.instructions.empty() && kept.networks.empty() &&
                        kept.streams.empty();
  if (is_empty) {
    throw ConfigError("no row is left by --machine, --dtype and --use");
  }
  return kept;
}

}  // namespace stcsim
