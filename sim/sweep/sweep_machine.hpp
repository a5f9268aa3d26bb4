#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/config/experiment.hpp"
#include "sim/sweep/constraint.hpp"
#include "sim/sweep/space.hpp"

namespace stcsim {

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
