#pragma once

#include <filesystem>

#include "common/io/yaml_node.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/cost/cost_entries.hpp"

namespace stcsim {

/// Reference tables as Accelergy (versions 0.3 and 0.4) writes them, picojoules and square
/// micrometres:
///
///   ERT: {version: 0.4, tables: [{name: top.SMEM[1..1], actions: [{name: read, arguments: {},
///                                                                  energy: 199.4}]}]}
///   ART: {version: 0.4, tables: [{name: top.SMEM[1..1], area: 2305303.5}]}
///
/// A component is known by the last part of its name, without the brackets.

/// Whether a file's top level is that of such a table, or of both.
[[nodiscard]] bool is_accelergy(const YamlNode& root);

/// A file whose components are called as units here, with actions as theirs ("...dram", read_byte)
/// and, of areas, unit and part ("...dram.gb_per_s"). An argument `dtype` says what type an energy
/// is of.
/// @throws ConfigError with file:line:column for other names, and for what is malformed
[[nodiscard]] CostTable read_accelergy_tables(const YamlNode& root,
                                              const std::filesystem::path& path);

/// Adds what the map `accelergy` of a table of costs takes of files; `per` is what one of theirs
/// are of ours (64 where an access is 64 bytes).
/// @throws ConfigError with file:line:column, also for what the files have not
void add_accelergy(MapReader& map, const AccelergyFiles& files, CostTable& table);

}  // namespace stcsim
