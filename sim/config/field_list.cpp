#include "sim/config/field_list.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "common/io/table.hpp"
#include "sim/config/field_json.hpp"
#include "sim/config/framework_fields.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {
namespace {

template <class Value>
inline constexpr bool kIsListOfMaps = false;
template <HasFields Config>
inline constexpr bool kIsListOfMaps<std::vector<Config>> = true;

template <class Value>
inline constexpr bool kIsNumber =
    std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, double> ||
    std::is_same_v<Value, Millicycles>;

/// Visitor of a struct's fields, and of those of the structs in it, that lists them.
class FieldLister {
 public:
  FieldLister(std::vector<ListedField>& listed, std::string parent)
      : listed_(listed), parent_(std::move(parent)) {}

  template <class Value>
  void field(const Field& field, const Value& value) {
    add(field, value, field.is_required ? "required" : text_of(field, value));
  }
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& fallback) {
    add(field, value, text_of(field, fallback));
  }

 private:
  template <class Value>
  static std::string text_of(const Field& field, const Value& fallback) {
    if (!field.default_text.empty()) return std::string(field.default_text);
    if constexpr (std::is_same_v<Value, std::string> ||
                  std::is_same_v<Value, std::optional<bool>>) {
      return "none";
    } else {
      const nlohmann::json json = value_to_json(fallback);
      return json.is_string() ? json.get<std::string>() : json.dump();
    }
  }
  template <class Value>
  void add(const Field& field, const Value& /*value*/, std::string fallback) {
    listed_.push_back({parent_, field, std::move(fallback), kIsNumber<Value>});
    const std::string path = listed_.back().path();
    if constexpr (HasFields<Value>) {
      list_fields<Value>(listed_, path);
    } else if constexpr (kIsListOfMaps<Value>) {
      list_fields<typename Value::value_type>(listed_, path + ".*");
    }
  }
  template <class Config>
  static void list_fields(std::vector<ListedField>& listed, const std::string& parent) {
    FieldLister lister(listed, parent);
    const Config config;
    Config::visit_fields(config, lister);
  }

  std::vector<ListedField>& listed_;
  std::string parent_;
};

std::string range_of(const ListedField& listed) {
  const Field& field = listed.field;
  if (field.most == 0) return "";
  std::string range = field.most >= field::kMostBytes
                          ? fmt::format("from {}", field.least)
                          : fmt::format("{} to {}", field.least, field.most);
  if (field.may_be_unlimited) range += fmt::format(", `{}`", kUnlimited);
  return range;
}

std::string_view word_for(Effect effect) {
  switch (effect) {
    case Effect::faster:
      return "faster";
    case Effect::slower:
      return "slower";
    case Effect::either:
      return "either";
    case Effect::none:
      break;
  }
  return "";
}

std::string meaning_of(const Field& field) {
  std::string text(field.help);
  if (!field.reason.empty()) text += fmt::format(". Without effect on time: {}", field.reason);
  return text;
}

Table table_of(const std::vector<ListedField>& all, const std::string& parent) {
  Table table({{"key"}, {"unit"}, {"default"}, {"range"}, {"more is"}, {"meaning"}});
  for (const ListedField& listed : all) {
    if (listed.parent != parent) continue;
    const Field& field = listed.field;
    table.add_row({fmt::format("`{}`", field.key), std::string(field.unit), listed.fallback,
                   range_of(listed), std::string(word_for(field.effect)), meaning_of(field)});
  }
  return table;
}

/// The heading of a map, or of a list's entries.
std::string title_of(const std::vector<ListedField>& all, const std::string& parent) {
  const bool is_entry = parent.ends_with(".*");
  const std::string path = is_entry ? parent.substr(0, parent.size() - 2) : parent;
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const ListedField& listed) { return listed.path() == path; });
  if (at == all.end()) return "";
  return fmt::format("### {}\n\n{}{}.\n\n", path, is_entry ? "A list: " : "", at->field.help);
}

template <class Config>
std::vector<ListedField> fields_of_file() {
  std::vector<ListedField> listed;
  FieldLister lister(listed, "");
  const Config config;
  Config::visit_fields(config, lister);
  return listed;
}

std::vector<std::string> parents_in(const std::vector<ListedField>& all) {
  std::vector<std::string> parents;
  for (const ListedField& listed : all) {
    if (std::find(parents.begin(), parents.end(), listed.parent) == parents.end()) {
      parents.push_back(listed.parent);
    }
  }
  return parents;
}

std::string tables_of(const std::vector<ListedField>& all,
                      const std::vector<std::string>& parents) {
  std::string text;
  for (const std::string& parent : parents) {
    if (!text.empty()) text += "\n";
    text += title_of(all, parent) + table_of(all, parent).to_markdown();
  }
  return text;
}

}  // namespace

std::string ListedField::path() const {
  return parent.empty() ? std::string(field.key) : fmt::format("{}.{}", parent, field.key);
}

std::vector<ListedField> machine_fields() {
  return fields_of_file<MachineConfig>();
}

std::string machine_fields_markdown() {
  const std::vector<ListedField> all = machine_fields();
  return tables_of(all, parents_in(all));
}

std::string framework_fields_markdown() {
  const std::vector<ListedField> all = fields_of_file<FrameworkFields>();
  return tables_of(all, {"", "launch", "rules.*", "rules.*.forward.*", "operations",
                         "operations.bias", "layers", "optimizers"});
}

}  // namespace stcsim
