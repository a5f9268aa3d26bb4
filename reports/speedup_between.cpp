#include "reports/speedup_between.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

std::string format_between(const SpeedupInterval& interval) {
  return format_speedup(interval.low) + ".." + format_speedup(interval.high);
}

std::string stack_text(const std::string& stack) {
  if (stack == kBestStack) return "best of all kernels";
  if (stack.ends_with("_search")) return "with searched kernels";
  return stack.ends_with("_rule") ? "by the libraries' own rules" : "with " + stack;
}

std::string beside_text(const std::vector<StackGain>& beside) {
  std::string text;
  for (const StackGain& one : beside) {
    text += (text.empty() ? "" : ", ") + stack_text(one.stack) + " " + format_speedup(one.speedup);
  }
  return text;
}

std::string interval_line(const StudyResult& study) {
  std::vector<std::string> assumed;
  bool is_known = false;
  for (const StudyTotal& total : study.totals) {
    is_known = is_known || total.interval.is_known();
    const bool is_new = std::find(assumed.begin(), assumed.end(), total.machine) == assumed.end();
    if (total.interval.is_assumed && is_new) assumed.push_back(total.machine);
  }
  if (!is_known) return "";
  std::string line =
      "Between: where the speedup lies if times are as far off as validated ones are; a "
      "scheme is faster or slower than dense where that excludes 1.\n";
  if (!assumed.empty()) {
    line += fmt::format("Errors assumed, from another machine or type: {}.\n",
                        fmt::join(assumed, ", "));
  }
  return line;
}

}  // namespace stcsim
