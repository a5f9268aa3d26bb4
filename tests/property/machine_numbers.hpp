#pragma once

#include <string>
#include <vector>

#include "common/config_field.hpp"
#include "common/io/yaml_node.hpp"

namespace stcsim::test {

/// A number of a machine file.
struct Number {
  std::string path;  // as --set names it: accelerator.sm.tensor_core.multipliers.0.fma_per_clk
  double value = 0;
  Field field;
};

/// All numbers of a machine, in the order of its file.
[[nodiscard]] std::vector<Number> numbers_of(const YamlNode& machine);

/// Whether it says what the hardware is: kernels, libraries and split_k are software, and power
/// only decides the clock.
[[nodiscard]] bool is_hardware(const Number& number);

}  // namespace stcsim::test
