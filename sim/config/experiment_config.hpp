#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// Values of --set, each "a.b.0.c=value", in order.
using Overrides = std::vector<std::string>;

/// Reads an experiment and everything it names.
/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] Experiment load_experiment(const std::filesystem::path& path,
                                         const Overrides& overrides = {});

/// The same of an experiment that has been read already.
[[nodiscard]] Experiment load_experiment(YamlDocument document, const Overrides& overrides);

/// The same of one whose machines, networks, schemes and framework are written out
/// (expand_entry()).
[[nodiscard]] Experiment read_experiment(const YamlDocument& document);

/// Reads Experiment::resolved_config back, without looking at any other file. Without overrides the
/// result's resolved_config is the same text again.
/// @param origin stands for the file in messages
/// @param overrides may name machines, networks, schemes and a framework, which are looked up
[[nodiscard]] Experiment parse_resolved_experiment(const std::string& json,
                                                   const std::string& origin,
                                                   const Overrides& overrides = {});

/// One configuration by the name or path a user gives on the command line.
[[nodiscard]] MachineSpec load_machine(const std::string& name, const Overrides& overrides = {});
/// A machine that has been loaded already (experiment_entry.hpp).
[[nodiscard]] MachineSpec read_machine(const YamlNode& node);
[[nodiscard]] Network load_network(const std::string& name, const Overrides& overrides = {});
[[nodiscard]] Scheme load_scheme(const std::string& name, const Overrides& overrides = {});
[[nodiscard]] Framework load_framework(const std::string& name, const Overrides& overrides = {});

}  // namespace stcsim
