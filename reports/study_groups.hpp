#pragma once

#include <algorithm>
#include <vector>

namespace stcsim {

/// The items (result rows, totals) of each machine and network, in order of first appearance.
template <typename Item>
[[nodiscard]] std::vector<std::vector<const Item*>> by_machine_and_network(
    const std::vector<Item>& items) {
  std::vector<std::vector<const Item*>> groups;
  for (const Item& item : items) {
    const auto same = [&](const std::vector<const Item*>& group) {
      return group.front()->machine == item.machine && group.front()->network == item.network;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({&item});
    } else {
      found->push_back(&item);
    }
  }
  return groups;
}

}  // namespace stcsim
