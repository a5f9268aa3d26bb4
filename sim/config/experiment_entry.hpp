#pragma once

#include <string>

#include "common/io/catalog.hpp"
#include "common/io/yaml_node.hpp"
#include "workloads/files/import.hpp"

namespace stcsim {

/// The configuration of that name or path (resolve_config), with `extends` followed; a network may
/// be a file of somebody else's (workloads/files/import.hpp), or a folder with a config.json.
/// @param where the name was written at; an empty file name means "not known"
/// @param options what such a file does not say; refused where there is none
[[nodiscard]] YamlNode load_by_name(ConfigKind kind, const std::string& name,
                                    const SourceLocation& where = {},
                                    const ImportOptions& options = {});

/// The configuration of a machine, network, scheme or framework that an entry of an experiment's
/// list stands for, written out as one map:
///   resnet50                      the shipped configuration of that name, or ./file.yaml
///   {name: resnet50, batch: 32}   the same, with these keys merged over it
///   {name: bert/config.json, tokens: 384, sizes: {masked: 80}}    what an imported file needs
///   {extends: a100, name: a100_2x, clock_mhz: 2820}    the same, under a name of its own
///   {name: mine, accelerator: ...}     a definition of its own, as results have it, if nothing of
///                                 that name is shipped
/// A framework's map without a name or `extends` changes the default.
/// A scheme's `pattern` replaces the pattern of all its sparse phases and is added to its name:
/// sdgp-2:8.
/// @throws ConfigError at the entry, or inside the file it stands for
[[nodiscard]] YamlNode expand_entry(ConfigKind kind, const YamlNode& entry);

}  // namespace stcsim
