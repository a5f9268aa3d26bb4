#include "sim/sweep/short_name.hpp"

#include <algorithm>
#include <cstddef>

namespace stcsim {
namespace {

/// The last `parts` parts of a name: "dram.bytes_per_clk".
std::string ending_of(const std::string& name, int parts) {
  std::size_t begin = name.size();
  for (int part = 0; part < parts && begin != std::string::npos; ++part) {
    begin = begin == 0 ? std::string::npos : name.rfind('.', begin - 1);
  }
  return begin == std::string::npos ? name : name.substr(begin + 1);
}

}  // namespace

std::string short_name(const std::string& name, const std::vector<std::string>& names) {
  for (int parts = 1;; ++parts) {
    std::string ending = ending_of(name, parts);
    const auto is_like = [&](const std::string& other) {
      return other != name && ending_of(other, parts) == ending;
    };
    if (ending == name || std::none_of(names.begin(), names.end(), is_like)) return ending;
  }
}

}  // namespace stcsim
