#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

using ParallelGroup = std::vector<const ParallelTotal*>;

constexpr std::string_view kPredicted =
    "Predicted: nobody measured n:m on several GPUs. What it rests on is measured: collectives and "
    "dense steps (stcsim evidence rows), kernels of one GPU. Gain: dense time / time on as many "
    "GPUs, likely where in brackets: kernels off as measured ones, collectives by {}; kernels: if "
    "collectives took no time. Scaling: samples per GPU over those of one. "
    "Beside: kernels take so much longer beside "
    "collectives. Exposed: the GPU waits for collectives.\n";

bool is_dense_total(const ParallelTotal& total) {
  return total.scheme == kBaselineScheme;
}

std::string gpus_text(std::int64_t gpus) {
  return fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s");
}

/// "slope: 1.09x on 1 GPU, 1.06x on 8; gains nothing from 64 GPUs on".
std::string gains_line(const ParallelGroup& group, const std::string& scheme) {
  std::vector<std::string> gains;
  const ParallelTotal* last = nullptr;
  for (const ParallelTotal* const total : group) {
    if (total->scheme != scheme) continue;
    const std::string likely =
        total->likely.is_known() ? fmt::format(" ({})", format_between(total->likely)) : "";
    gains.push_back(
        fmt::format("{}{} on {}", format_speedup(total->speedup), likely, gpus_text(total->gpus)));
    last = total;
  }
  std::string line = fmt::format("  {}: {} (predicted)", scheme, fmt::join(gains, ", "));
  if (last->gains_nothing_from) {
    line += fmt::format("; not worth it from {} on", gpus_text(*last->gains_nothing_from));
  } else {
    line += "; gains on any number asked";
  }
  return line + "\n";
}

std::string gains_text(const ParallelGroup& group) {
  std::string text;
  std::vector<std::string> said;
  for (const ParallelTotal* const total : group) {
    if (is_dense_total(*total) || std::ranges::find(said, total->scheme) != said.end()) continue;
    said.push_back(total->scheme);
    text += gains_line(group, total->scheme);
  }
  return text;
}

/// "does not fit: dense on 1 GPU (149 GiB of 80 GiB)".
std::string misfits_text(const ParallelGroup& group) {
  std::vector<std::string> misfits;
  for (const ParallelTotal* const total : group) {
    if (total->fits()) continue;
    misfits.push_back(fmt::format("{} on {} ({} of {})", total->scheme, gpus_text(total->gpus),
                                  format_bytes(total->memory_bytes),
                                  format_bytes(total->capacity_bytes)));
  }
  return misfits.empty() ? "" : fmt::format("Does not fit: {}\n", fmt::join(misfits, ", "));
}

/// What the scheme would gain if collectives took no time.
std::string kernels_cell(const ParallelTotal& total) {
  if (is_dense_total(total)) return kNothingCell;
  return format_speedup(total.kernels_speedup);
}

/// "weights 12.1 ms, gradients 3.0 ms".
std::string exposed_cell(const ParallelTotal& total) {
  std::vector<std::string> parts;
  for (const auto& [name, us] : total.times.exposed) {
    parts.push_back(name + " " + format_time_us(us));
  }
  return parts.empty() ? kNothingCell : fmt::format("{}", fmt::join(parts, ", "));
}

std::string parallel_table(const ParallelGroup& group, std::size_t width) {
  using Total = ParallelTotal;
  const std::vector<DescribedColumn<Total>> columns{
      {{"scheme"}, [](const Total& one) { return one.scheme; }},
      {{"GPUs", Align::right}, [](const Total& one) { return std::to_string(one.gpus); }},
      {{"memory", Align::right},
       [](const Total& one) { return format_bytes(one.memory_bytes) + (one.fits() ? "" : "!"); }},
      {{"step", Align::right}, [](const Total& one) { return format_time_us(one.times.us); }},
      {{"gain", Align::right},
       [](const Total& one) {
         return is_dense_total(one) ? kNothingCell : format_speedup(one.speedup);
       }},
      {{"kernels", Align::right, 1}, &kernels_cell},
      {{"scaling", Align::right, 2},
       [](const Total& one) { return format_percent(one.efficiency); }},
      {{"beside", Align::right},
       [](const Total& one) {
         return one.times.slowed_us > 0 ? format_time_us(one.times.slowed_us) : kNothingCell;
       }},
      {{"exposed"}, &exposed_cell}};
  return table_of(columns, group).to_string(width);
}

}  // namespace

std::string parallel_report(const StudyResult& study, std::size_t width) {
  std::string text;
  const auto alike = [](const ParallelTotal& one, const ParallelTotal& other) {
    return one.network == other.network && one.machine == other.machine;
  };
  for (const ParallelGroup& group : groups_of(study.parallel, alike)) {
    const ParallelTotal& first = *group.front();
    std::string lines = fmt::format("{} on {}, several GPUs, the same batch on each: predicted\n",
                                    first.network, first.machine);
    lines += gains_text(group) + misfits_text(group);
    text += wrap_lines(lines, width) + "\n" + parallel_table(group, width) + "\n";
  }
  return text + wrap_lines(fmt::format(kPredicted, format_percent(kErrorOfCollectives)), width);
}

}  // namespace stcsim
