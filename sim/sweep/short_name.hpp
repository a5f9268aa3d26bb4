#pragma once

#include <string>
#include <vector>

namespace stcsim {

/// The shortest ending of an axis's name, cut at its dots, that no other of `names` has:
/// "dram.bytes_per_clk" where another axis ends in "l2_cache.bytes_per_clk".
[[nodiscard]] std::string short_name(const std::string& name,
                                     const std::vector<std::string>& names);

}  // namespace stcsim
