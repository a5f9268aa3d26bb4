#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/io/format.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"

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

/// The totals of each machine, network and pass, in order of first appearance.
[[nodiscard]] inline std::vector<std::vector<const StudyTotal*>> by_pass(
    const std::vector<StudyTotal>& totals) {
  std::vector<std::vector<const StudyTotal*>> groups;
  for (const auto& of_network : by_machine_and_network(totals)) {
    const auto first = static_cast<std::ptrdiff_t>(groups.size());
    for (const StudyTotal* const total : of_network) {
      const auto found = std::find_if(groups.begin() + first, groups.end(), [&](const auto& group) {
        return group.front()->pass == total->pass;
      });
      if (found == groups.end()) {
        groups.push_back({total});
      } else {
        found->push_back(total);
      }
    }
  }
  return groups;
}

/// The scheme with which a training gains most, of those that are complete and not dense; null if
/// there is none.
[[nodiscard]] inline const StudyTotal* fastest_of(const std::vector<const StudyTotal*>& totals) {
  const StudyTotal* fastest = nullptr;
  for (const StudyTotal* const total : totals) {
    if (total->scheme == kBaselineScheme || !total->is_complete()) continue;
    if (fastest == nullptr || total->training.speedup > fastest->training.speedup) fastest = total;
  }
  return fastest;
}

/// Whether some product is left dense because that is faster.
[[nodiscard]] inline bool leaves_dense(const StudyTotal& total) {
  return total.always.cycles > 0 && total.always.cycles != total.step.cycles;
}

/// What a training gains with the best of all kernels; null where that was not simulated.
[[nodiscard]] inline const StackGain* with_best_kernels(const StudyTotal& total) {
  const auto found = std::ranges::find(total.beside, kBestStack, &StackGain::stack);
  return found == total.beside.end() ? nullptr : &*found;
}

/// Its speedup in a table.
[[nodiscard]] inline std::string all_kernels_cell(const StudyTotal& total) {
  const StackGain* const best = with_best_kernels(total);
  return best == nullptr ? "-" : format_speedup(best->speedup);
}

/// Whether machines with libraries stand beside some without, which run the best of all kernels:
/// then they are compared under those.
[[nodiscard]] inline bool has_machines_without_libraries(const StudyResult& study) {
  const auto has_best = [](const StudyTotal& total) { return with_best_kernels(total) != nullptr; };
  return std::ranges::any_of(study.totals, has_best) &&
         !std::ranges::all_of(study.totals, has_best);
}

/// "resnet50 on a100", and the pass if it is not the training step.
[[nodiscard]] inline std::string place_of(const StudyTotal& total) {
  const std::string place = total.network + " on " + total.machine;
  return total.pass == kTrainingPass ? place : place + ", " + std::string(to_string(total.pass));
}

}  // namespace stcsim
