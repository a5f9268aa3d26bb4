#include "reports/study_clock.hpp"

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/cost_report.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

std::string clock_text(const StudyTotal& total) {
  const bool is_own = total.clock_of == "machine";
  if (is_own && total.dense_watts <= 0) return "";
  std::string text = fmt::format("clock: {:.0f} MHz", total.clock_mhz);
  const char* const pass = total.pass == kTrainingPass ? "step" : "pass";
  if (total.clock_of == "power") {
    return text +
           fmt::format(", all that the board's power allows the dense {}, which draws {:.0f} W",
                       pass, total.dense_watts);
  }
  if (!is_own) text += ", locked";
  if (total.dense_watts > 0) {
    text += fmt::format("; the dense {} draws {:.0f} W", pass, total.dense_watts);
  }
  return text;
}

std::string energy_text(const std::vector<const StudyTotal*>& totals) {
  std::string others;
  const StudyTotal* dense = nullptr;
  for (const StudyTotal* total : totals) {
    if (total->scheme == kBaselineScheme) {
      dense = total;
    } else if (total->dense_joules > 0) {
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", total->scheme,
                            format_significant(total->joules / total->dense_joules));
    }
  }
  if (dense == nullptr || dense->joules <= 0) return "";
  const char* const pass = dense->pass == kTrainingPass ? "step" : "pass";
  std::string text =
      fmt::format("energy: the dense {} takes {}", pass, format_joules(dense->joules));
  if (!others.empty()) text += "; of that " + others;
  return text;
}

}  // namespace stcsim
