#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "reports/validation/validation_result.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// Leaves out the rows that `check` throws a ConfigError for, and puts it into `bad_rows`.
template <class Row, class Check>
void keep_right(std::vector<Row>& rows, std::vector<ConfigError>& bad_rows, const Check& check) {
  const auto is_wrong = [&](const Row& row) {
    try {
      check(row);
    } catch (const ConfigError& error) {
      bad_rows.push_back(error);
      return true;
    }
    return false;
  };
  rows.erase(std::remove_if(rows.begin(), rows.end(), is_wrong), rows.end());
}

/// @throws ConfigError if the row's way of timing is none of `timings`, or its machine, if it has
///         one, has no stack of the row's name
void check_names(const MeasuredGemm& gemm, const std::map<std::string, MachineConfig>& machines,
                 const std::map<std::string, TimingMethod>& timings);

}  // namespace stcsim
