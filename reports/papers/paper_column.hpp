#pragma once

#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "reports/evidence/machine_sort.hpp"

namespace stcsim {

/// Where steps and GEMMs of a paper are simulated.
struct PaperColumn {
  /// As people read it: "A100 with N:M".
  std::string name;
  /// A machine's own name, and its file.
  std::string machine;
  std::string machine_file;
  MachineSort sort = MachineSort::built;
  /// Whose kernels run beside the GEMMs: its own name, and its file.
  std::string framework;
  std::string framework_file;
  /// The paper's own assumptions: pruning is free, and its shares of products are taken for ours.
  bool assumed = false;

  [[nodiscard]] std::string where() const { return machine + " with " + framework; }
};

/// The list `columns` of a paper or a figure.
/// @throws ConfigError for a name that is there twice, and whatever its machine or framework has
[[nodiscard]] std::vector<PaperColumn> read_paper_columns(MapReader& map);

}  // namespace stcsim
