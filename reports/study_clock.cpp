#include "reports/study_clock.hpp"

#include <fmt/format.h>

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

}  // namespace stcsim
