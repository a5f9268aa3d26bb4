#include "cli/base/command.hpp"

namespace stcsim {

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups{
      {"One GEMM", {gemm_command(), energy_command(), explain_command()}},
      {"Networks and training steps",
       {run_command(), advise_command(), import_command(), eval_command()}},
      {"Comparisons", {compare_command(), record_command(), check_command()}},
      {"Hardware that does not exist, and your own",
       {new_machine_command(), sweep_command(), design_command(), patterns_command(),
        fit_command()}},
      {"Accuracy", {train_command(), prune_command(), tta_command(), curves_command()}},
      {"Measurements and publications, beside simulations",
       {rows_command(), trace_command(), papers_command()}},
      {"Shipped files, and pages of results",
       {list_command(), list_machine_command(), list_scheme_command(), list_experiment_command(),
        page_command()}}};
  return groups;
}

}  // namespace stcsim
