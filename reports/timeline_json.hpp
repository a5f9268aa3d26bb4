#pragma once

#include <string>

#include "models/accelerator/timeline.hpp"
#include "reports/gemm_report.hpp"

namespace stcsim {

/// A timeline of report.launch in Chrome's trace event format, which ui.perfetto.dev and
/// chrome://tracing open: a thread per track, complete events ("X") in cycles (shown as
/// microseconds), flows ("s", "t", "f") from copy to use. `otherData` says of what it is, and has
/// the buckets of each unit that has tracks, `statistics`.
[[nodiscard]] std::string timeline_to_json(const Timeline& timeline, const GemmReport& report);

}  // namespace stcsim
