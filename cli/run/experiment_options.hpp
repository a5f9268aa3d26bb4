#pragma once

#include <filesystem>
#include <string>

#include "cli/base/arguments.hpp"
#include "common/io/catalog.hpp"
#include "common/io/yaml_node.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// Stands for every shipped scheme in --schemes.
inline constexpr const char* kAllSchemes = "all";

/// An experiment without a file.
struct ExperimentTable {
  Option network{"network", "NAME,...", "networks, instead of EXPERIMENT"};
  Option profile{"profile", "FILE",
                 "a PyTorch profile of your own step, instead of --network: what no scheme touches "
                 "keeps its measured time"};
  Option measured_step{"measured-step", "TIME",
                       "what the step of --network or --profile takes on --arch, e.g. 290ms (us, "
                       "ms, s), without a profiler"};
  Option arch = kCommon.arch.as("NAME,...", "machines of --network");
  Option schemes = kCommon.schemes.as(
      "NAME,...", "schemes of --network, e.g. asp,sdgp-1:4, or all (default dense)");
  Option phase = kCommon.phase.as(
      "NAME,...",
      "forward, backward (dgrad), update (wgrad), inference (default the training step)");
  Option dtype = kCommon.dtype.as("TYPE", "data type of --network (default fp16)");
  Option batch = kCommon.batch.as("N", "samples per step of --network (default: its own)");
  SizeOptions sizes;
  Option framework = kCommon.framework.as("NAME",
                                          "whose kernels run beside the GEMMs of --network "
                                          "(default pytorch_2_eager; of a list of GEMMs "
                                          "none)");
  Option system{"system", "NAME",
                "steps of --network on several GPUs of this system; its machine, if --arch is not "
                "given"};
  Option gpus{"gpus", "N,...", "numbers of GPUs of --system (default 1,8,16)"};
  Option parallel = kCommon.parallel.as(
      "ddp|zero1|zero2|fsdp|tp",
      "what GPUs of --system share: nothing, also the optimizer's state, gradients, weights; or "
      "products (default ddp)");
  Option clock = kCommon.clock.as(
      "MHZ", "lock the clock of --arch (default: the one that the board's power allows)");
};
inline constexpr ExperimentTable kExperiment;

/// What schemes spend beside products.
struct SchemeWorkTable {
  Option no_overhead{"no-overhead", "",
                     "leave out what schemes spend on pruning, as their papers do"};
  Option pruning_kernels{"pruning-kernels", "separate|fused",
                         "prune in kernels of their own, or in those that write the tensors "
                         "(default the framework's)"};
};
inline constexpr SchemeWorkTable kSchemeWork;

/// The experiment the plain argument EXPERIMENT names (a path, or a shipped one), or the one that
/// the options above say, with --set.
/// @throws ConfigError if both are given, or neither
[[nodiscard]] Experiment experiment_of(const Arguments& arguments);

/// Names the option, in places of errors, where a file would be named.
void relocate(YamlNode& node, const std::string& option);
/// Refuses the options that stand in place of EXPERIMENT.
void refuse_beside_file(const Arguments& arguments);

/// A configuration's name as it is found from a file in `folder`: a shipped one's as it is, a path
/// relative to that folder.
[[nodiscard]] std::string name_from(const std::filesystem::path& folder, ConfigKind kind,
                                    const std::string& name);
/// What the file of an experiment without one would say if it lay in `folder`, as JSON.
/// @param schemes  without --schemes; none is dense. Where there are some, a --schemes without
/// dense gets it
[[nodiscard]] std::string experiment_text(const Arguments& arguments,
                                          const std::filesystem::path& folder,
                                          const std::vector<std::string>& schemes = {});

}  // namespace stcsim
