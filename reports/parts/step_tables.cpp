#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/config_field.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/parts/study_lines.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

/// The dense step, if it is there, and the fastest scheme.
StudyTotals compared(const StudyTotals& totals) {
  StudyTotals chosen;
  const auto is_dense = [](const StudyTotal* total) { return is_baseline(*total); };
  const auto dense = std::ranges::find_if(totals, is_dense);
  if (dense != totals.end()) chosen.push_back(*dense);
  if (const StudyTotal* const fastest = fastest_of(totals)) chosen.push_back(fastest);
  return chosen;
}

bool has_kind(const StudyTotals& totals, std::size_t kind) {
  return std::ranges::any_of(
      totals, [kind](const StudyTotal* total) { return total->kinds.at(kind).cycles > 0; });
}

void add_part(Table& table, std::string name, const StudyTotals& totals, auto part_of) {
  std::vector<std::string> cells{std::move(name)};
  for (const StudyTotal* const total : totals) {
    const PhaseTotal& part = part_of(*total);
    const double step = total->step.time_us;
    cells.push_back(format_time_us(part.time_us));
    cells.push_back(format_percent(step > 0 ? part.time_us / step : 0));
  }
  table.add_row(std::move(cells));
}

std::string kind_table(const StudyTotals& totals, std::size_t width) {
  std::vector<Column> columns{{"part of the step"}};
  for (const StudyTotal* const total : totals) {
    columns.push_back({total->scheme, Align::right});
    columns.push_back({"share", Align::right});
  }
  Table table(std::move(columns));
  add_part(table, "GEMMs", totals, [](const StudyTotal& total) { return total.gemms; });
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    if (!has_kind(totals, kind)) continue;
    add_part(table, std::string(to_string(static_cast<StreamKind>(kind))), totals,
             [kind](const StudyTotal& total) { return total.kinds.at(kind); });
  }
  const StudyTotal& first = *totals.front();
  const std::string framework =
      first.framework.empty() ? "" : " (framework " + first.framework + ")";
  return place_of(first) + ": where the time goes" + framework + "\n\n" + table.to_string(width) +
         "\n";
}

bool is_measured(const StudyTotals& totals) {
  return totals.front()->pass == kTrainingPass && totals.front()->memory.total() > 0;
}

/// One for every different memory, and how it is called: "dense", "asp", "sdgp, mvue-2-4".
struct Alike {
  const StudyTotal* first = nullptr;
  std::string schemes;
};

std::vector<Alike> alike(const StudyTotals& totals) {
  std::vector<Alike> groups;
  for (const StudyTotal* const total : totals) {
    const auto known = std::ranges::find_if(
        groups, [&](const Alike& group) { return group.first->memory == total->memory; });
    if (known == groups.end()) {
      groups.push_back({total, total->scheme});
    } else if (known->first->scheme != kBaselineScheme) {
      known->schemes += ", " + total->scheme;
    }
  }
  return groups;
}

struct MemoryPart {
  const char* name;
  std::int64_t (*bytes)(const StepMemory&);
  /// Left out where it is nothing.
  bool is_special = false;
  /// Left out first where the table is too wide.
  int dispensable = 0;
};

constexpr std::array<MemoryPart, 8> kParts{
    {{"weights", [](const StepMemory& memory) { return memory.weights; }},
     {"compressed", [](const StepMemory& memory) { return memory.compressed + memory.metadata; },
      true},
     {"masks", [](const StepMemory& memory) { return memory.masks; }, true},
     {"gradients", [](const StepMemory& memory) { return memory.gradients; }},
     {"optimizer", [](const StepMemory& memory) { return memory.optimizer; }},
     {"activations", [](const StepMemory& memory) { return memory.activations; }},
     {"working", [](const StepMemory& memory) { return memory.working; }, false, 1},
     {"all", [](const StepMemory& memory) { return memory.total(); }}}};

std::vector<const MemoryPart*> parts_of(const std::vector<Alike>& groups) {
  std::vector<const MemoryPart*> parts;
  for (const MemoryPart& part : kParts) {
    const auto is_something = [&](const Alike& group) {
      return part.bytes(group.first->memory) > 0;
    };
    if (!part.is_special || std::ranges::any_of(groups, is_something)) {
      parts.push_back(&part);
    }
  }
  return parts;
}

std::string memory_table(const StudyTotals& totals, std::size_t width) {
  const std::vector<Alike> groups = alike(totals);
  const std::vector<const MemoryPart*> parts = parts_of(groups);
  std::vector<Column> columns{{"scheme"}};
  for (const MemoryPart* const part : parts)
    columns.push_back({part->name, Align::right, part->dispensable});
  columns.push_back({"fits"});
  Table table(std::move(columns));
  for (const Alike& group : groups) {
    std::vector<std::string> cells{group.schemes};
    for (const MemoryPart* const part : parts) {
      cells.push_back(format_bytes(part->bytes(group.first->memory)));
    }
    cells.emplace_back(group.first->fits() ? "yes" : "no");
    table.add_row(std::move(cells));
  }
  const StudyTotal& first = *totals.front();
  const bool is_limited = first.capacity_bytes < field::kMostBytes;
  const std::string of = is_limited ? ", of " + format_bytes(first.capacity_bytes) : std::string();
  return fmt::format("{}: memory of a step{}\n\n{}\n", place_of(first), of, table.to_string(width));
}

}  // namespace

std::string kind_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  for (const auto& totals : by_pass(study.totals)) {
    const StudyTotals chosen = compared(totals);
    bool has_any = false;
    for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
      has_any = has_any || has_kind(chosen, kind);
    }
    if (has_any) text += kind_table(chosen, width);
  }
  return text;
}

std::string memory_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  for (const StudyTotals& totals : by_pass(study.totals)) {
    if (is_measured(totals)) text += memory_table(totals, width);
  }
  return text;
}

std::string misfit_line(const StudyTotals& totals) {
  std::vector<std::string> schemes;
  std::int64_t most = 0;
  for (const StudyTotal* const total : totals) {
    if (total->fits()) continue;
    schemes.push_back(total->scheme);
    most = std::max(most, total->memory.total());
  }
  if (schemes.empty()) return "";
  const bool are_all = schemes.size() == totals.size() && schemes.size() > 1;
  return fmt::format("  DOES NOT FIT: {} of {}: {}\n", format_bytes(most),
                     format_bytes(totals.front()->capacity_bytes),
                     are_all ? "every scheme" : fmt::format("{}", fmt::join(schemes, ", ")));
}

std::string memory_notes(const StudyResult& study) {
  std::string text;
  for (const StudyTotals& totals : by_pass(study.totals)) {
    const std::string line = misfit_line(totals);
    if (!line.empty()) text += place_of(*totals.front()) + ":" + line.substr(1);
  }
  return text;
}

}  // namespace stcsim
