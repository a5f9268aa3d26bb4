#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/python_program.hpp"
#include "common/io/catalog.hpp"
#include "sim/config/training_plan.hpp"

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
  training::Experiment experiment = training::load_experiment(
      resolve_config(ConfigKind::experiment, arguments.text(kCommon.experiment), ""), overrides);
  training::choose_schemes(experiment, split(arguments.text_or(kCommon.schemes, "")));
  nlohmann::json request = training::training_request(experiment);
  request["jobs"] = jobs_of(arguments);
  request["out"] = arguments.text_or(kCommon.out, "out/train");
  request["save_weights"] = arguments.has(kTrain.save_weights);
  request["save_gradients"] = arguments.has(kTrain.save_gradients);
  request["resume"] = arguments.has(kTrain.resume);
  become_python("stcsim.training", {}, request.dump());
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
