#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/gemm.hpp"
#include "common/io/yaml_node.hpp"
#include "sim/config/experiment.hpp"
#include "sim/sweep/constraint.hpp"
#include "sim/sweep/space.hpp"

namespace stcsim {

/// An entry of a space's list of GEMMs as a map: "1024x8192x1024" is {m: 1024, n: 8192, k: 1024}.
/// @throws ConfigError if a text is no size
[[nodiscard]] YamlNode gemm_map(const YamlNode& entry);

/// A GEMM of a space, and how many such there are: what it weighs in a design.
struct GemmEntry {
  GemmProblem gemm;
  std::int64_t repeat = 1;
};

/// What a map says: m, n, k, and batch_count, repeat, dtype, pattern, layout (tn, nn, nt, tt),
/// c_layout (row, column), name.
/// @param dtype  where the map has none
/// @throws ConfigError at what is wrong
[[nodiscard]] GemmEntry read_gemm(const YamlNode& map, DataType dtype);

/// A machine of a sweep, with all that the axes say of it.
struct SweepMachine {
  MachineSpec spec;
  YamlNode node;
  /// SHA-256 of what it says, defaults written out.
  std::string digest;
};

/// Makes the machines of a space's points. Files are read once.
class MachineMaker {
 public:
  /// @param space  must outlive it
  explicit MachineMaker(const Space& space) : space_(space) {}

  /// @param values  a point's
  /// @throws ConfigError at what the machine cannot have
  [[nodiscard]] SweepMachine make(const Assignment& values);
  /// The machine alone.
  [[nodiscard]] MachineConfig config(const Assignment& values);

 private:
  [[nodiscard]] YamlNode node(const Assignment& values);

  const Space& space_;
  /// Entries of the list of machines, by their labels, with all that they extend.
  std::map<std::string, YamlNode> files_;
};

/// The value of one of the space's own lists.
/// @throws SimulationError if the point has none
[[nodiscard]] const AxisValue& listed_value(const Space& space, const Assignment& values,
                                            std::string_view name);

/// Sets what the axes below `root` say; the key `but` is left out.
void set_axis_values(YamlNode& node, const Space& space, const Assignment& values,
                     std::string_view root, std::string_view but = {});

}  // namespace stcsim
