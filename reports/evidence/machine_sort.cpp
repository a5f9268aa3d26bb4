#include "reports/evidence/machine_sort.hpp"

namespace stcsim {

MachineSort sort_of(const MachineConfig& machine) {
  if (machine.name == "ideal") return MachineSort::counting;
  return machine.stacks.empty() ? MachineSort::hypothetical : MachineSort::built;
}

}  // namespace stcsim
