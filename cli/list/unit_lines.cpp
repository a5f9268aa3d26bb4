#include "cli/list/unit_lines.hpp"

#include <algorithm>
#include <cstddef>

namespace stcsim {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

void add_lines(const UnitTree& unit, std::size_t depth, Lines& lines);

void add_children(const UnitTree& unit, std::size_t depth, Lines& lines) {
  std::vector<std::string> shown;
  for (const UnitTree& first : unit.children) {
    if (std::find(shown.begin(), shown.end(), first.kind) != shown.end()) continue;
    shown.push_back(first.kind);
    add_lines(first, depth, lines);
    std::vector<std::string> others;
    for (const UnitTree& other : unit.children) {
      if (other.kind == first.kind && other.name != first.name) others.push_back(other.name);
    }
    if (others.empty()) continue;
    const std::string name =
        others.size() == 1 ? others.front() : others.front() + " … " + others.back();
    lines.emplace_back(std::string(2 * depth, ' ') + name, "like " + first.name);
  }
}

void add_lines(const UnitTree& unit, std::size_t depth, Lines& lines) {
  const bool says_kind = unit.name == unit.kind;
  lines.emplace_back(std::string(2 * depth, ' ') + unit.name,
                     (says_kind ? "" : unit.kind + ": ") + unit.help);
  add_children(unit, depth + 1, lines);
}

}  // namespace

Lines unit_lines(const UnitTree& tree) {
  Lines lines;
  add_lines(tree, 0, lines);
  return lines;
}

}  // namespace stcsim
