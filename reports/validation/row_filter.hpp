#pragma once

#include <functional>
#include <optional>
#include <string>

#include "reports/validation/measured_tables.hpp"

namespace stcsim {

/// Which rows are run; what is empty leaves all of them.
struct RowFilter {
  /// Name of a machine; rows of GPUs that no machine stands for are left out too.
  std::string machine;
  std::optional<DataType> dtype;
  /// Only GEMMs have a use: rows of the other kinds are left out.
  std::optional<RowUse> use;
};

/// Name of the machine that stands for a GPU, nullptr if there is none.
using MachineOfGpu = std::function<const std::string*(const std::string& gpu)>;

/// The rows that pass, in their order.
/// @throws ConfigError if none does
[[nodiscard]] MeasuredTables filter_rows(const MeasuredTables& tables, const RowFilter& filter,
                                         const MachineOfGpu& machine_of);

}  // namespace stcsim
