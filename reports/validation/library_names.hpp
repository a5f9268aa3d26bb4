#pragma once

#include <string>
#include <string_view>

#include "sim/config/machine.hpp"

namespace stcsim {

/// The library of `machine` that free text about a measurement names ("cuSPARSELt", "V:N:M Spatha,
/// tuned", case ignored): of those with sparse kernels, or of those with dense ones, the one named
/// first. "" if it names none.
[[nodiscard]] std::string library_in(std::string_view text, const MachineConfig& machine,
                                     bool sparse);

/// "" if the machine does not know the library, or not for such kernels.
[[nodiscard]] std::string library_if_known(const std::string& name, const MachineConfig& machine,
                                           bool sparse);

}  // namespace stcsim
