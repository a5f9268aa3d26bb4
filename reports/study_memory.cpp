#include "reports/study_memory.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/config_field.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/study_groups.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

using Totals = std::vector<const StudyTotal*>;

bool is_measured(const Totals& totals) {
  return totals.front()->pass == kTrainingPass && totals.front()->memory.total() > 0;
}

/// One for every different memory, and how it is called: "dense", "asp", "sdgp, mvue-2-4".
struct Alike {
  const StudyTotal* first = nullptr;
  std::string schemes;
};

std::vector<Alike> alike(const Totals& totals) {
  std::vector<Alike> groups;
  for (const StudyTotal* const total : totals) {
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Alike& group) {
      return group.first->memory == total->memory;
    });
    if (known == groups.end()) {
      groups.push_back({total, total->scheme});
    } else if (known->first->scheme != kBaselineScheme) {
      known->schemes += ", " + total->scheme;
    }
  }
  return groups;
}

struct Part {
  const char* name;
  std::int64_t (*bytes)(const StepMemory&);
  /// Left out where it is nothing.
  bool is_special = false;
  /// Left out first where the table is too wide.
  int dispensable = 0;
};

constexpr std::array<Part, 8> kParts{
    {{"weights", [](const StepMemory& memory) { return memory.weights; }},
     {"compressed", [](const StepMemory& memory) { return memory.compressed + memory.metadata; },
      true},
     {"masks", [](const StepMemory& memory) { return memory.masks; }, true},
     {"gradients", [](const StepMemory& memory) { return memory.gradients; }},
     {"optimizer", [](const StepMemory& memory) { return memory.optimizer; }},
     {"activations", [](const StepMemory& memory) { return memory.activations; }},
     {"working", [](const StepMemory& memory) { return memory.working; }, false, 1},
     {"all", [](const StepMemory& memory) { return memory.total(); }}}};

std::vector<const Part*> parts_of(const std::vector<Alike>& groups) {
  std::vector<const Part*> parts;
  for (const Part& part : kParts) {
    const auto is_something = [&](const Alike& group) {
      return part.bytes(group.first->memory) > 0;
    };
    if (!part.is_special || std::any_of(groups.begin(), groups.end(), is_something)) {
      parts.push_back(&part);
    }
  }
  return parts;
}

std::string memory_table(const Totals& totals, std::size_t width) {
  const std::vector<Alike> groups = alike(totals);
  const std::vector<const Part*> parts = parts_of(groups);
  std::vector<Column> columns{{"scheme"}};
  for (const Part* const part : parts)
    columns.push_back({part->name, Align::right, part->dispensable});
  columns.push_back({"fits"});
  Table table(std::move(columns));
  for (const Alike& group : groups) {
    std::vector<std::string> cells{group.schemes};
    for (const Part* const part : parts) {
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

std::string memory_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  for (const Totals& totals : by_pass(study.totals)) {
    if (is_measured(totals)) text += memory_table(totals, width);
  }
  return text;
}

std::string memory_notes(const StudyResult& study) {
  std::string text;
  for (const Totals& totals : by_pass(study.totals)) {
    std::string schemes;
    std::int64_t most = 0;
    for (const StudyTotal* const total : totals) {
      if (total->fits()) continue;
      schemes += (schemes.empty() ? "" : ", ") + total->scheme;
      most = std::max(most, total->memory.total());
    }
    if (schemes.empty()) continue;
    text += fmt::format("does not fit: {}: {} needs {} of {}\n", schemes, place_of(*totals.front()),
                        format_bytes(most), format_bytes(totals.front()->capacity_bytes));
  }
  return text;
}

}  // namespace stcsim
