#pragma once

#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/config/sample_configs.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {

inline const std::string kExperiment = "machines: [tiny]\nnetworks: [net]\nschemes: [half]\n";

/// A folder of shipped configurations with one machine, network and scheme, and experiments on
/// them.
class ExperimentFolder : public testing::Test {
 protected:
  ExperimentFolder() {
    folder_.write("arch/tiny.yaml", kSampleMachine);
    folder_.write("networks/net.yaml", kSampleNetwork);
    folder_.write("schemes/half.yaml", kSampleScheme);
    folder_.write("schemes/dense.yaml", "name: dense\n");
    folder_.write("frameworks/pytorch_2_eager.yaml", "name: pytorch_2_eager\n");
  }

  Experiment load(const std::string& text, const Overrides& overrides = {}) {
    return load_experiment(folder_.write("e/x.yaml", text), overrides);
  }
  /// The error without the folder's name, which differs from run to run.
  std::string error_in(const std::string& text, const Overrides& overrides = {}) {
    std::string error = error_of([&] { (void)load(text, overrides); });
    const std::string prefix = folder_.path().string() + "/";
    for (std::size_t at = error.find(prefix); at != std::string::npos; at = error.find(prefix)) {
      error.erase(at, prefix.size());
    }
    return error;
  }

  ScratchFolder folder_;
  EnvironmentVariable directory_{"STCSIM_CONFIG_DIR", folder_.path().string()};
};

}  // namespace stcsim
