
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/run/experiment_options.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/yaml_json.hpp"

namespace stcsim {
namespace {

constexpr const char* kConfigNotes =
    "Prints the experiment with every default, `extends` and --set filled in: what would be\n"
    "simulated, and nothing else.\n\n"
    "  stcsim list experiment demo --set networks.1.batch=32\n";

struct ConfigTable {
  ExperimentTable experiment;
  Option set = kCommon.set.like("networks.0.batch=32");
  Option format = kCommon.format.as("yaml|json", "form of the output (default yaml)");
};

int show_config(const Arguments& arguments) {
  const Format format = format_of(arguments, ConfigTable().format);
  const auto config = parse_json(experiment_of(arguments).resolved_config, "the experiment");
  write_data(format == Format::yaml ? to_yaml(config) : config.dump(2) + "\n");
  return kExitFine;
}

}  // namespace

Command list_experiment_command() {
  return {"list experiment",
          "Show an experiment as it is understood",
          "EXPERIMENT | --network NAME --arch NAME [OPTIONS]",
          kConfigNotes,
          {kCommon.experiment.optional()},
          options_of<ConfigTable>(),
          &show_config};
}

}  // namespace stcsim
