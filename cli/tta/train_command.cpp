#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"

namespace stcsim {
namespace {

/// The program that trains, beside this one.
std::filesystem::path training_program() {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "stcsim-train";
  if (!std::filesystem::exists(program)) {
    throw ConfigError(
        "this stcsim was built without training, there is no " + program.string() +
        "; 'make build' builds it (CMake: -DSTCSIM_BUILD_TRAINING=ON, package libtorch-dev)");
  }
  return program;
}

/// The names between commas.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

int run_train_command(const Arguments& arguments) {
  std::vector<std::string> overrides = arguments.all("set");
  if (arguments.has("seeds")) {
    overrides.push_back("training.seeds=" + std::to_string(arguments.integer("seeds", 1, 1000)));
  }
  const std::filesystem::path experiment =
      resolve_config(ConfigKind::experiment, arguments.text("EXPERIMENT"), "");
  const nlohmann::json request{{"experiment", experiment.string()},
                               {"set", overrides},
                               {"schemes", split(arguments.text_or("schemes", ""))},
                               {"jobs", jobs_of(arguments)},
                               {"out", arguments.text_or("out", "out/train")},
                               {"save_weights", arguments.has("save-weights")},
                               {"save_gradients", arguments.has("save-gradients")},
                               {"resume", arguments.has("resume")}};
  for (const char* const saved : {"save-weights", "save-gradients"}) {
    arguments.allow_only_if(!arguments.has("resume"), saved, "does not go with --resume");
  }
  const std::string program = training_program().string();
  const std::string text = request.dump();
  execl(program.c_str(), program.c_str(), text.c_str(), static_cast<char*>(nullptr));
  throw std::system_error(errno, std::generic_category(), "cannot start " + program);
}

}  // namespace

Command train_command() {
  Command command{
      "train",
      "Train a small network with sparsification schemes, and write learning curves",
      "EXPERIMENT [OPTIONS]",
      "EXPERIMENT is a file or the name of a shipped one: train_images, train_tokens. It really "
      "trains, on the\nCPU, what docs/accuracy.md describes; DIR/SCHEME/seedN.csv has a line per "
      "epoch.\n\n"
      "  stcsim train train_images --schemes dense,sdgp --seeds 2 --out out/images\n"
      "  stcsim tta --curves-only out/images/sdgp/*.csv --metric eval_accuracy --target 0.8\n",
      {"EXPERIMENT"},
      boost::program_options::options_description("Options"),
      &run_train_command};
  add_option(command.options, "out", "DIR", "folder for the curves (default out/train)");
  add_option(command.options, "schemes", "NAME,...", "only these schemes of the experiment");
  add_option(command.options, "seeds", "N", "so many runs of each scheme");
  command.options.add_options()("resume", "train only what has no curve in DIR yet");
  add_jobs_option(command.options);
  add_set_option(command.options, "training.epochs=2");
  command.options.add_options()("save-weights",
                                "also write the weights as NumPy files, to DIR/SCHEME/seedN/");
  command.options.add_options()("save-gradients",
                                "also write the gradients of the layers' outputs in the last step, "
                                "to DIR/SCHEME/seedN/gradients/");
  return command;
}

}  // namespace stcsim
