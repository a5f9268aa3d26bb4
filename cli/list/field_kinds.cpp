#include "cli/list/field_kinds.hpp"

#include <array>

#include "common/io/field_schema.hpp"
#include "curves/published.hpp"
#include "reports/tta/tta_config.hpp"
#include "sim/config/experiment.hpp"
#include "sim/config/system.hpp"
#include "sim/config/training_plan.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/sweep/space.hpp"

namespace stcsim {
namespace {

template <HasFields Config>
constexpr FieldKind file_of(std::string_view name, std::string_view title) {
  return {name, title, &list_fields<Config>, &schema_of_file<Config>};
}

constexpr std::array kFieldKinds{
    file_of<MachineConfig>("machine", "A machine that stcsim simulates"),
    file_of<LibraryFile>("library", "Software that machine files name"),
    file_of<Framework>("framework", "A framework whose kernels stcsim simulates"),
    file_of<Scheme>("scheme", "A way of training with n:m sparsity"),
    file_of<Network>("network", "A network whose training stcsim simulates"),
    file_of<Experiment>("experiment", "An experiment that stcsim runs"),
    file_of<TtaConfig>("tta", "What an experiment says of time to accuracy"),
    file_of<training::TrainingPlan>("training", "What an experiment says of training"),
    file_of<SpaceFile>("space", "A space of machines and work that stcsim sweeps"),
    file_of<SystemConfig>("system", "Several GPUs and the links between them"),
    file_of<CostTable>("cost", "Energies of actions and areas of parts"),
    file_of<curves::PublishedFinal>("final_values", "A row of published final values"),
    file_of<curves::PublishedCrossing>("to_target", "A row of published trainings to a target"),
    file_of<curves::PublishedSeeds>("seeds", "A row of published spreads of equal trainings"),
};

}  // namespace

std::span<const FieldKind> field_kinds() {
  return kFieldKinds;
}

}  // namespace stcsim
