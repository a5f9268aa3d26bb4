#include "tests/property/machine_numbers.hpp"

#include <optional>
#include <regex>
#include <stdexcept>

#include "common/io/field_list.hpp"
#include "common/io/yaml_value.hpp"
#include "sim/config/machine.hpp"

namespace stcsim::test {
namespace {

/// Of a key, or of the list that a number stands in.
const Field* find_field(const std::vector<ListedField>& all, const std::string& path) {
  static const std::regex kIndex("\\.[0-9]+(?=\\.|$)");
  const std::string general = std::regex_replace(path, kIndex, ".*");
  for (const ListedField& listed : all) {
    if (general == listed.path() || general == listed.path() + ".*") return &listed.field;
  }
  return nullptr;
}

void collect(const YamlNode& node, const std::string& path, const std::vector<ListedField>& fields,
             std::vector<Number>& numbers) {
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  for (const YamlEntry& entry : node.entries) {
    collect(entry.value, inner(entry.key), fields, numbers);
  }
  for (std::size_t at = 0; at < node.items.size(); ++at) {
    collect(node.items[at], inner(std::to_string(at)), fields, numbers);
  }
  const std::optional<double> value = double_of(node);
  if (!value) return;
  const Field* const field = find_field(fields, path);
  if (field == nullptr) throw std::logic_error("no field " + path);
  numbers.push_back({path, *value, *field});
}

}  // namespace

std::vector<Number> numbers_of(const YamlNode& machine) {
  std::vector<Number> numbers;
  collect(machine, "", list_fields<MachineConfig>(), numbers);
  return numbers;
}

bool is_hardware(const Number& number) {
  return number.path.starts_with("accelerator.") || number.path == "clock_mhz";
}

}  // namespace stcsim::test
