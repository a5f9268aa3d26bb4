#include <array>

#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
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

int show_config(const Arguments& arguments) {
  const Format format = format_of(arguments, {Format::yaml, Format::json});
  const auto config = parse_json(experiment_of(arguments).resolved_config, "the experiment");
  write_data(format == Format::yaml ? to_yaml(config) : config.dump(2) + "\n");
  return kExitFine;
}

}  // namespace

Command list_experiment_command() {
  Command command{"list experiment",
                  "Show an experiment as it is understood",
                  "EXPERIMENT | --network NAME --arch NAME [OPTIONS]",
                  kConfigNotes,
                  {"[EXPERIMENT]"},
                  boost::program_options::options_description("Options"),
                  &show_config};
  add_experiment_options(command.options);
  add_set_option(command.options, "networks.0.batch=32");
  add_option(command.options, "format", "yaml|json", "form of the output (default yaml)");
  return command;
}

}  // namespace stcsim
