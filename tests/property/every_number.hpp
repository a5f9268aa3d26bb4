#pragma once

#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"
#include "tests/property/machine_numbers.hpp"
#include "tests/property/probe_launches.hpp"

namespace stcsim::test {

/// Half and twice the number (a latency: sixteen times; of a queue 64 KiB), or something for none,
/// in the form of a file.
[[nodiscard]] std::vector<std::string> other_values(const Number& number);

/// A shipped machine whose numbers are changed one at a time.
class ChangedMachines {
 public:
  /// @param name  of a shipped machine
  explicit ChangedMachines(const std::string& name);

  /// Every number of the file and of those it extends that says what the hardware is.
  [[nodiscard]] const std::vector<Number>& numbers() const { return numbers_; }

  /// Changes one number and runs launches until one shows what the field's table says, or all of
  /// them. Returns what is wrong, in words, "" if nothing is:
  ///   - no launch takes longer or shorter, as it should, with either value, though it is not
  ///     refused
  ///   - a launch takes another time, though the table says that the number has no effect
  ///   - a value is refused without a word on what would be right
  ///   - a simulation fails
  [[nodiscard]] std::string check(const Number& number, bool all_launches) const;

  /// What check() finds wrong with each of them, without all launches, one line each. Numbers
  /// without effect are changed together, and one by one only if that has one.
  [[nodiscard]] std::vector<std::string> check_all(const std::vector<Number>& numbers) const;

 private:
  struct Outcome;
  [[nodiscard]] Outcome run(const std::vector<std::string>& assignments, const Number* number,
                            int direction, bool all_launches) const;
  /// True if all launches take as long as before with all of these numbers made smaller, and with
  /// all made larger.
  [[nodiscard]] bool changes_nothing(const std::vector<const Number*>& together) const;

  YamlNode root_;
  std::vector<Number> numbers_;
  std::vector<ProbeLaunch> probes_;
  std::vector<double> times_;  // of every probe with the machine as it is, us
};

}  // namespace stcsim::test
