#pragma once

#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "reports/evidence/verdict.hpp"

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
  /// Software that its GEMMs run on: its own, else the one that the framework names.
  std::string stack;
  /// The paper's own assumptions: pruning is free, and its shares of products are taken for ours.
  bool assumed = false;
  /// Another column with other software: shown, not judged.
  bool is_beside = false;

  /// "a100 with pytorch_eager, cuda12_rule"
  [[nodiscard]] std::string where() const;
};

/// The column on another stack of its machine: "A100, best of all kernels".
[[nodiscard]] PaperColumn with_stack(PaperColumn column, const std::string& stack);

/// The list `columns` of a paper or a figure. A machine that nobody has built chooses from all
/// kernels; behind a built one beside it stands the same one doing so.
/// @throws ConfigError for a name that is there twice, a stack that the machine does not have, and
///         whatever its machine or framework has
[[nodiscard]] std::vector<PaperColumn> read_paper_columns(MapReader& map);

}  // namespace stcsim
