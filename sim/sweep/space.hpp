#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/io/yaml_node.hpp"
#include "sim/sweep/axis.hpp"
#include "sim/sweep/constraint.hpp"

namespace stcsim {

/// What a point of a space is: a machine and a GEMM, or a machine and a network's step under a
/// scheme.
enum class PointKind : std::uint8_t { gemm, step };

/// How points are drawn from a space, instead of taking all.
struct Sampling {
  enum class Kind : std::uint8_t { random, latin_hypercube };
  Kind kind = Kind::random;
  std::int64_t points = 0;
  std::uint64_t seed = 1;
  SourceLocation where;
};

/// Axes that go together: they have one value each at a time.
struct Dimension {
  /// What the space calls it; "" if it has no name.
  std::string name;
  /// By their place in Space::axes.
  std::vector<std::size_t> axes;
};

/// A plain key of an experiment, the same for all points.
struct PlainKey {
  std::string name;
  SourceLocation where;
  YamlNode value;
};

/// A space of machines and work (configs/spaces/*.yaml; format: docs/hardware.md), read but not
/// resolved: machines, networks and GEMMs are read as points are made (sweep_plan.hpp).
struct Space {
  std::string name;
  std::string description;
  /// What differs. Machines come first, GEMMs last: neighbours share a machine.
  std::vector<Axis> axes;
  /// Every axis is in exactly one; in order of their first axis. No value of a dimension comes
  /// twice.
  std::vector<Dimension> dimensions;
  std::vector<Constraint> constraints;
  std::optional<Sampling> sampling;
  std::vector<PlainKey> settings;
  bool has_gemms = false;
  bool has_steps = false;
  /// The file as JSON, `extends` and `experiment` followed, and its SHA-256.
  std::string resolved_config;
  std::string config_hash;

  [[nodiscard]] bool has(PointKind kind) const {
    return kind == PointKind::gemm ? has_gemms : has_steps;
  }
};

/// @param name  a path, or the name of a shipped space
/// @param overrides  values of --set
/// @throws ConfigError with file:line:column
[[nodiscard]] Space load_space(const std::string& name,
                               const std::vector<std::string>& overrides = {});
/// The same of a text in memory. @param origin stands for the file
[[nodiscard]] Space parse_space(const std::string& text, const std::string& origin);

/// Whether points of a kind have a value of an axis or setting that begins with `root`.
[[nodiscard]] bool concerns(const std::string& root, PointKind kind);

}  // namespace stcsim
