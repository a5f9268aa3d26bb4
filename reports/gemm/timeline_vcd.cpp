#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "reports/gemm/gemm_report.hpp"

namespace stcsim {
namespace {

/// Printable characters from '!' on, as the format numbers its wires.
std::string code_of(std::size_t number) {
  constexpr std::size_t kFirst = '!';
  constexpr std::size_t kCodes = '~' - kFirst + 1;
  std::string code;
  do {
    code += static_cast<char>(kFirst + number % kCodes);
    number /= kCodes;
  } while (number > 0);
  return code;
}

/// Without blanks, which end a name.
std::string word(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// Changes of all wires, by cycle; what ends where it begins anew does not change.
class Changes {
 public:
  void add(const TimelineSlice& slice, const std::string& code) {
    ++rises_[slice.begin.index()][code];
    --rises_[slice.end.index()][code];
  }
  /// @param end  of what is told
  [[nodiscard]] std::string text(Cycle end) const {
    std::string text;
    std::int64_t last = 0;
    std::map<std::string, std::int64_t> depth;
    for (const auto& [cycle, of_cycle] : rises_) {
      std::string changed;
      for (const auto& [code, rise] : of_cycle) {
        std::int64_t& now = depth[code];
        if ((now > 0) != (now + rise > 0)) changed += fmt::format("{:d}{}\n", now + rise > 0, code);
        now += rise;
      }
      if (!changed.empty()) text += fmt::format("#{}\n{}", cycle, changed);
      last = cycle;
    }
    if (last < end.index()) text += fmt::format("#{}\n", end.index());
    return text;
  }

 private:
  std::map<std::int64_t, std::map<std::string, std::int64_t>> rises_;
};

}  // namespace

std::string timeline_to_vcd(const GemmReport& report) {
  const Timeline& timeline = *report.timeline;
  std::string head = fmt::format(
      "$comment {} on {}, {}; 1 ns stands for a cycle $end\n$timescale 1 ns $end\n"
      "$scope module sm0 $end\n",
      word(report.problem.a_pattern.to_string()), word(report.machine),
      word(report.launch.kernel.name));
  std::string initial;
  Changes changes;
  std::size_t wires = 0;
  for (const TimelineTrack& track : timeline.tracks) {
    std::map<std::string, std::string> codes;  // of names
    head += fmt::format("$scope module {} $end\n", word(track.name));
    for (const TimelineSlice& slice : track.slices) {
      const auto [found, is_new] = codes.try_emplace(slice.name);
      if (is_new) {
        found->second = code_of(wires++);
        head += fmt::format("$var wire 1 {} {} $end\n", found->second, word(slice.name));
        initial += fmt::format("0{}\n", found->second);
      }
      changes.add(slice, found->second);
    }
    head += "$upscope $end\n";
  }
  return fmt::format("{}$upscope $end\n$enddefinitions $end\n$dumpvars\n{}$end\n{}", head, initial,
                     changes.text(timeline.end));
}

}  // namespace stcsim
