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

constexpr struct TrainTable {
  Option out = kCommon.out.as("DIR", "folder for the curves (default out/train)");
  Option schemes = kCommon.schemes.as("NAME,...", "only these schemes of the experiment");
  Option seeds{"seeds", "N", "so many runs of each scheme"};
  Option resume = Option{"resume", "", "train only what has no curve in DIR yet"}.refusing(
      "does not go with --resume");
  Option jobs = kCommon.jobs;
  Option set = kCommon.set.like("training.epochs=2");
  Option save_weights =
      Option{"save-weights", "", "also write the weights as NumPy files, to DIR/SCHEME/seedN/"}
          .not_with(&resume);
  Option save_gradients =
      Option{"save-gradients", "",
             "also write the gradients of the layers' outputs in the last step, to "
             "DIR/SCHEME/seedN/gradients/"}
          .not_with(&resume);
} kTrain;

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
  std::vector<std::string> overrides = arguments.all(kCommon.set);
  if (arguments.has(kTrain.seeds)) {
    overrides.push_back("training.seeds=" +
                        std::to_string(arguments.integer(kTrain.seeds, 1, 1000)));
  }
  const std::filesystem::path experiment =
      resolve_config(ConfigKind::experiment, arguments.text(kCommon.experiment), "");
  const nlohmann::json request{{"experiment", experiment.string()},
                               {"set", overrides},
                               {"schemes", split(arguments.text_or(kCommon.schemes, ""))},
                               {"jobs", jobs_of(arguments)},
                               {"out", arguments.text_or(kCommon.out, "out/train")},
                               {"save_weights", arguments.has(kTrain.save_weights)},
                               {"save_gradients", arguments.has(kTrain.save_gradients)},
                               {"resume", arguments.has(kTrain.resume)}};
  const std::string program = training_program().string();
  const std::string text = request.dump();
  execl(program.c_str(), program.c_str(), text.c_str(), static_cast<char*>(nullptr));
  throw std::system_error(errno, std::generic_category(), "cannot start " + program);
}

}  // namespace

Command train_command() {
  return {
      "train",
      "Train a small network with sparsification schemes, and write learning curves",
      "EXPERIMENT [OPTIONS]",
      "EXPERIMENT is a file or the name of a shipped one: train_images, train_tokens. It really "
      "trains, on the\nCPU, what docs/accuracy.md describes; DIR/SCHEME/seedN.csv has a line per "
      "epoch.\n\n"
      "  stcsim train train_images --schemes dense,sdgp --seeds 2 --out out/images\n"
      "  stcsim tta --curves-only out/images/sdgp/*.csv --metric eval_accuracy --target 0.8\n",
      {kCommon.experiment},
      options_of<TrainTable>(),
      &run_train_command};
}

}  // namespace stcsim
