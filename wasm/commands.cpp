#include "cli/base/command.hpp"

namespace stcsim {

/// In place of cli/base/command_groups.cpp.
const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups{
      {"In a browser", {gemm_command(), explain_command(), run_command(), list_command()}}};
  return groups;
}

}  // namespace stcsim
