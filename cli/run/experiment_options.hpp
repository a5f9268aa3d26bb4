#pragma once

#include <filesystem>
#include <string>

#include <boost/program_options/options_description.hpp>

#include "cli/base/arguments.hpp"
#include "common/io/catalog.hpp"
#include "common/io/yaml_node.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// Stands for every shipped scheme in --schemes.
inline constexpr const char* kAllSchemes = "all";

/// --network, --arch, --schemes, --phase, --dtype, --batch, --framework and --clock: an
/// experiment without a file.
void add_experiment_options(boost::program_options::options_description& options);

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
