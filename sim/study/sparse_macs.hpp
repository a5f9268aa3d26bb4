#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// Adds up the multiply-accumulates of rows, repeats counted, and those that ran on sparse tensor
/// cores.
class SparseMacs {
 public:
  void add(const ResultRow& row);
  [[nodiscard]] SparseShares shares() const;

 private:
  struct Sum {
    double all = 0;
    double sparse = 0;

    [[nodiscard]] double share() const { return all > 0 ? sparse / all : 0; }
  };
  [[nodiscard]] double share_of(const std::string& phase) const;

  std::map<std::string, Sum> phases_;
};

}  // namespace stcsim
